// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCrypto
import OAuthSystem
import Synchronization

/// The headers of proofs that were accepted lately, by their exact text: a client sends the same one with each proof of a
/// key, letter by letter.
///
/// Only signatures of the key in a header bring it in here, and what is found is compared as a whole: a header that is known
/// has passed every check that it would pass again. Bounded; whoever uses many keys makes others start anew, which costs
/// them some microseconds.
final class HeaderCache: Sendable {
    private struct Known {
        let text: [UInt8]
        let header: VerifiedHeader
    }

    private struct Tables {
        /// With some two kilobytes each, of which most are what was read.
        var known = AssociativeCache<Known>(capacity: 512)
        var seen = SeenFilter(capacity: 2048)
    }

    /// Longer ones are read each time, in characters: those of RSA keys of 4096 bits have some 850.
    private static var maximumLength: Int { 1024 }

    private let tables = Mutex(Tables())

    /// The header of a proof of which nothing was read.
    func header(of jws: EncodedJWS) -> VerifiedHeader? {
        jws.text.withUTF8Span { header($0.extracting(..<jws.headerCount)) }
    }

    /// The header that has a text, in base64url.
    private func header(_ text: Span<UInt8>) -> VerifiedHeader? {
        let number = Self.number(of: text)
        let known = tables.withLock { tables in tables.known.value(of: number) }
        guard let known, known.text.withSpan({ $0.isIdentical(to: text) }) else { return nil }
        return known.header
    }

    /// Notes the header of a proof whose signature was verified; from the second time on it is known.
    func note(_ header: VerifiedHeader, of jws: CompactJWS) {
        let text = jws.encodedHeader
        guard text.count <= Self.maximumLength else { return }
        let number = text.withSpan { Self.number(of: $0) }
        tables.withLock { tables in
            guard tables.seen.note(number) else { return }
            // Of another proof of the key that was quicker, or of another header that has the number too.
            _ = tables.known.take(number) { _ in true }
            _ = tables.known.put(Known(text: text, header: header), number)
        }
    }

    /// A number that differs where texts differ, nearly always: what is found by it is compared.
    ///
    /// Headers of one kind differ in the numbers of the key, which are most of the text: four words in it tell them apart. Who
    /// makes headers that agree in these finds them read anew.
    private static func number(of text: Span<UInt8>) -> UInt64 {
        guard text.count >= 8 else { return UInt64(text.count) }
        let step = (text.count - 8) / 4
        var number = UInt64(text.count)
        for place in 1...4 {
            // Each load ends at or before the end, and needs no alignment.
            let word = unsafe text.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: place * step, as: UInt64.self)
            number = (number ^ word) &* 0xFF51_AFD7_ED55_8CCD
            number ^= number >> 32
        }
        return number
    }
}
