// SPDX-License-Identifier: Apache-2.0

/// RSA keys in DER: PKCS #1, the format of Apple's Security framework (RFC 8017 appendix A.1), and `PrivateKeyInfo`
/// around it, the format in which this project stores private keys (RFC 5208 section 5).
enum RSAKeyDER {
    /// A private key, and the numbers of its public key.
    struct PrivateKey {
        /// An `RSAPrivateKey`.
        ///
        /// Wipe it after use.
        var pkcs1: [UInt8]
        let modulus: [UInt8]
        let exponent: [UInt8]
    }

    private enum Tag {
        static let integer: UInt8 = 0x02
        static let octetString: UInt8 = 0x04
        static let sequence: UInt8 = 0x30
    }

    /// The version number in both private formats, as an `INTEGER`.
    private static let zero: [UInt8] = [Tag.integer, 1, 0]
    /// The `AlgorithmIdentifier` of `rsaEncryption`, 1.2.840.113549.1.1.1, with NULL.
    private static let algorithm: [UInt8] = [
        Tag.sequence, 13, 0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0,
    ]

    static func encode(_ key: RSAPublicKey) -> [UInt8] {
        value(Tag.sequence, positive(key.modulus) + positive(key.exponent))
    }

    /// A `PrivateKeyInfo` around an `RSAPrivateKey`.
    ///
    /// Wipe it after use.
    static func wrap(pkcs1: [UInt8]) -> [UInt8] {
        var wrapped = value(Tag.octetString, pkcs1)
        defer { SecretMemory.wipe(&wrapped) }
        var contents = zero + algorithm + wrapped
        defer { SecretMemory.wipe(&contents) }
        return value(Tag.sequence, contents)
    }

    /// The key in an RSA `PrivateKeyInfo` without attributes; `nil` for anything else, including trailing bytes.
    static func unwrap(pkcs8: [UInt8]) -> PrivateKey? {
        var rest = pkcs8[...]
        guard var info = take(Tag.sequence, from: &rest), rest.isEmpty, info.starts(with: zero + algorithm) else {
            return nil
        }
        info.removeFirst(zero.count + algorithm.count)
        guard let key = take(Tag.octetString, from: &info), info.isEmpty else { return nil }
        return read(pkcs1: Array(key))
    }

    /// The numbers of an `RSAPrivateKey` with two primes; `nil` for anything else.
    static func read(pkcs1: [UInt8]) -> PrivateKey? {
        var rest = pkcs1[...]
        guard var numbers = take(Tag.sequence, from: &rest), rest.isEmpty, numbers.starts(with: zero) else {
            return nil
        }
        numbers.removeFirst(zero.count)
        guard let modulus = takePositive(from: &numbers), let exponent = takePositive(from: &numbers) else {
            return nil
        }
        // d, p, q, d mod (p-1), d mod (q-1), the inverse of q: the signing library reads these.
        for _ in 0..<6 {
            guard takePositive(from: &numbers) != nil else { return nil }
        }
        return numbers.isEmpty ? PrivateKey(pkcs1: pkcs1, modulus: modulus, exponent: exponent) : nil
    }

    /// An `INTEGER` from a number without leading zeros.
    private static func positive(_ number: [UInt8]) -> [UInt8] {
        value(Tag.integer, (number.first ?? 0x80) & 0x80 == 0 ? number : [0] + number)
    }

    private static func value(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        guard contents.count > 0x7F else { return [tag, UInt8(contents.count)] + contents }
        let length = (0..<8).reversed().map { UInt8(truncatingIfNeeded: contents.count >> ($0 * 8)) }.drop { $0 == 0 }
        return [tag, 0x80 | UInt8(length.count)] + length + contents
    }

    /// The content of the next value, if it has the given tag and its length is in the shortest form.
    private static func take(_ tag: UInt8, from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard rest.popFirst() == tag, let first = rest.popFirst() else { return nil }
        var length = Int(first)
        if first > 0x7F {
            let octets = rest.prefix(Int(first & 0x7F))
            // Two bytes suffice for the largest key.
            guard (1...2).contains(octets.count), octets.count == first & 0x7F, octets.first != 0 else { return nil }
            length = octets.reduce(0) { $0 << 8 | Int($1) }
            guard length > 0x7F else { return nil }
            rest.removeFirst(octets.count)
        }
        guard length <= rest.count else { return nil }
        defer { rest.removeFirst(length) }
        return rest.prefix(length)
    }

    /// Reads a positive number without leading zeros.
    private static func takePositive(from rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard let contents = take(Tag.integer, from: &rest), let first = contents.first, first & 0x80 == 0 else {
            return nil
        }
        guard first == 0 else { return Array(contents) }
        guard let second = contents.dropFirst().first, second & 0x80 != 0 else { return nil }
        return Array(contents.dropFirst())
    }
}
