// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCrypto
import Synchronization

/// The headers of proofs that were accepted lately, by their exact text: a client sends the same one with each proof of a
/// key, letter by letter.
///
/// Only signatures of the key in a header bring it in here, and what is found is compared as a whole: a header that is known
/// has passed every check that it would pass again. Bounded; whoever uses many keys makes others start anew, which costs
/// them some microseconds.
final class KnownHeaders: Sendable {
    private struct Known {
        let text: [UInt8]
        let header: CheckedHeader
    }

    private struct Tables {
        /// With some two kilobytes each, of which most are what was read.
        var known = RecentTable<Known>(capacity: 512)
        var seen = RecentNumbers(capacity: 2048)
    }

    /// Longer ones are read each time, in characters: those of RSA keys of 4096 bits have some 850.
    private static var maximumLength: Int { 1024 }

    private let tables = Mutex(Tables())

    /// The header that has a text, in base64url.
    func header(_ text: Span<UInt8>) -> CheckedHeader? {
        let number = Self.number(of: text)
        let known = tables.withLock { tables in tables.known.value(of: number) }
        guard let known, known.text.withSpan({ $0.isIdentical(to: text) }) else { return nil }
        return known.header
    }

    /// Notes the header of a proof whose signature was verified; from the second time on it is known.
    func note(_ header: CheckedHeader, of jws: CompactJWS) {
        let text = jws.encodedHeader
        guard text.count <= Self.maximumLength else { return }
        let number = text.withSpan { Self.number(of: $0) }
        tables.withLock { tables in
            // Another proof of the same key may have been quicker.
            guard tables.seen.note(number), tables.known.value(of: number) == nil else { return }
            _ = tables.known.put(Known(text: text, header: header), number)
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
