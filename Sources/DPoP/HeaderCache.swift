// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCrypto
import OAuthSystem
import Synchronization

/// Caches the headers of recently accepted proofs by their exact text.
///
/// A client sends an identical header with each proof of a key.
///
/// Only a verified signature by the key in a header adds it to the cache, and a lookup compares the whole text. A
/// cached header has therefore passed every check that it would pass again. The size is bounded. An attacker who uses
/// many keys causes misses, which cost other clients some microseconds.
final class HeaderCache: Sendable {
    private struct Known {
        let text: [UInt8]
        let header: VerifiedHeader
    }

    private struct Tables {
        /// About two kilobytes each, mostly the parsed header.
        var known = AssociativeCache<Known>(capacity: 512)
        var seen = SeenFilter(capacity: 2048)
    }

    /// The longest cached header in characters.
    ///
    /// Headers with RSA keys of 4096 bits have about 850.
    private static var maximumLength: Int { 1024 }

    private let tables = Mutex(Tables())

    /// The cached header of a proof.
    func header(of jws: EncodedJWS) -> VerifiedHeader? {
        jws.text.withUTF8Span { header($0.extracting(..<jws.headerCount)) }
    }

    /// The cached header for a header in base64url.
    private func header(_ text: Span<UInt8>) -> VerifiedHeader? {
        let number = Self.number(of: text)
        let known = tables.withLock { tables in tables.known.value(of: number) }
        guard let known, known.text.withSpan({ $0.isIdentical(to: text) }) else { return nil }
        return known.header
    }

    /// Notes the header of a verified proof.
    ///
    /// The header is cached the second time.
    func note(_ header: VerifiedHeader, of jws: CompactJWS) {
        let text = jws.encodedHeader
        guard text.count <= Self.maximumLength else { return }
        let number = text.withSpan { Self.number(of: $0) }
        tables.withLock { tables in
            guard tables.seen.note(number) else { return }
            // Removes the header of a concurrent proof of the same key, or one with the same hash.
            _ = tables.known.take(number) { _ in true }
            _ = tables.known.put(Known(text: text, header: header), number)
        }
    }

    /// A hash of the text.
    ///
    /// Lookups compare the whole text, so a collision is harmless.
    ///
    /// Headers of one kind differ in the coordinates of the key, which make up most of the text: four words from it
    /// tell them apart. A client that crafts colliding headers only makes its own headers be parsed again.
    private static func number(of text: Span<UInt8>) -> UInt64 {
        guard text.count >= 8 else { return UInt64(text.count) }
        let step = (text.count - 8) / 4
        var number = UInt64(text.count)
        for place in 1...4 {
            // Each load ends at or before the end of the text; alignment does not matter.
            let word = unsafe text.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: place * step, as: UInt64.self)
            number = (number ^ word) &* 0xFF51_AFD7_ED55_8CCD
            number ^= number >> 32
        }
        return number
    }
}
