// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCrypto
import Synchronization

/// The headers of proofs that were accepted lately, by their exact text.
///
/// Only a signature of the key in a header brings it in here, and what is found is compared as a whole: a header that is
/// known has passed every check that it would pass again. Bounded; whoever uses many keys makes others start anew, which
/// costs them some microseconds.
final class KnownHeaders: Sendable {
    /// With some two kilobytes each, of which most are what was read.
    private static var capacity: Int { 512 }
    /// Longer ones are read each time, in characters: those of RSA keys of 4096 bits have some 850.
    private static var maximumLength: Int { 1024 }

    private let table = Mutex(RecentTable<CheckedHeader>(capacity: capacity))

    /// The header that has a text, in base64url.
    func header(_ text: Span<UInt8>) -> CheckedHeader? {
        let number = Self.number(of: text)
        let known = table.withLock { table in table.value(of: number) }
        guard let known, known.text.withSpan({ $0.isIdentical(to: text) }) else { return nil }
        return known
    }

    /// Remembers the header of a proof whose signature was verified.
    func remember(_ header: CheckedHeader) {
        guard header.text.count <= Self.maximumLength else { return }
        let number = header.text.withSpan { Self.number(of: $0) }
        table.withLock { table in
            // Another proof of the same key may have been quicker.
            if table.value(of: number) == nil { _ = table.put(header, number) }
        }
    }

    /// A number that differs where texts differ, nearly always: what is found by it is compared.
    private static func number(of text: Span<UInt8>) -> UInt64 {
        var number = UInt64(truncatingIfNeeded: text.count)
        var index = 0
        // Each load ends at or before the end, and needs no alignment.
        while index &+ 8 <= text.count {
            let word = unsafe text.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
            number = (number ^ word) &* 0xFF51_AFD7_ED55_8CCD
            number ^= number >> 32
            index &+= 8
        }
        // Less than a word: base64url of any key has its differences before, or is read anew.
        while index < text.count {
            number = (number ^ UInt64(text[index])) &* 0xFF51_AFD7_ED55_8CCD
            index &+= 1
        }
        return number
    }
}
