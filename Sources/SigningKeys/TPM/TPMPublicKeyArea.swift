// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCrypto
import StrictJSON

/// The public area of an elliptic curve key of any TPM, read without a TPM (`TPMT_PUBLIC`, TPM 2.0 Part 2 section
/// 12.2.4).
struct TPMPublicKeyArea {
    /// Attributes of a key (section 8.3.2).
    struct Attributes: OptionSet {
        let rawValue: UInt32

        static let fixedTPM = Attributes(rawValue: 1 << 1)
        static let fixedParent = Attributes(rawValue: 1 << 4)
        static let sensitiveDataOrigin = Attributes(rawValue: 1 << 5)
        static let restricted = Attributes(rawValue: 1 << 16)
        static let decrypt = Attributes(rawValue: 1 << 17)
        static let sign = Attributes(rawValue: 1 << 18)

        /// Made in this TPM, and neither it nor a parent of it can be moved to another.
        static let neverLeaves: Attributes = [.fixedTPM, .fixedParent, .sensitiveDataOrigin]
    }

    private static let sha256: UInt16 = 0x000B
    private static let ecc: UInt16 = 0x0023
    private static let none: UInt16 = 0x0010
    /// `TPM_ECC_NIST_P256`, `P384` (section 6.4).
    private static let curves: [UInt16: (name: String, count: Int)] = [3: ("P-256", 32), 4: ("P-384", 48)]

    let attributes: Attributes
    /// The key.
    let key: JWK
    /// The TPM's name of the key: the hash function, and the hash of the area (section 16).
    let name: [UInt8]

    /// Reads a `TPM2B_PUBLIC`; `nil` for another kind of key, or one that can sign by no scheme of its own or none.
    init?(_ bytes: [UInt8]) {
        var sized = bytes[...]
        guard let area = TPMBytes.takeSized(&sized), sized.isEmpty else { return nil }
        var rest = area
        guard Self.number(&rest) == Self.ecc, Self.number(&rest) == Self.sha256,
            let high = Self.number(&rest), let low = Self.number(&rest), TPMBytes.takeSized(&rest) != nil,
            // No symmetric cipher: that is for keys that wrap others.
            Self.number(&rest) == Self.none, let scheme = Self.number(&rest),
            scheme == Self.none || Self.number(&rest) != nil,
            let curve = Self.number(&rest).flatMap({ Self.curves[$0] }),
            Self.number(&rest) == Self.none, let x = TPMBytes.takeSized(&rest), let y = TPMBytes.takeSized(&rest),
            rest.isEmpty, max(x.count, y.count) <= curve.count
        else { return nil }
        let numbers = [x, y].map { Base64URL.encode(TPMBytes.padded(Array($0), to: curve.count)) }
        guard
            let key = try? JWK(
                parsing: [
                    "kty": "EC", "crv": .string(curve.name), "x": .string(numbers[0]), "y": .string(numbers[1]),
                ]
            )
        else { return nil }
        self.key = key
        attributes = Attributes(rawValue: UInt32(high) << 16 | UInt32(low))
        name = TPMBytes.of(Self.sha256) + HashAlgorithm.sha256.hash(Array(area))
    }

    private static func number(_ bytes: inout ArraySlice<UInt8>) -> UInt16? {
        guard let high = bytes.popFirst(), let low = bytes.popFirst() else { return nil }
        return UInt16(high) << 8 | UInt16(low)
    }
}
