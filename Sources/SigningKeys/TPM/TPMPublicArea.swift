// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CTSS2
import JOSE
import OAuthCrypto

/// The public area of a key that a TPM made for us (TPM 2.0 Part 2 section 12.2.4).
///
/// We choose everything except the point, so only the point is read from a file. A key of another type or another alias
/// has another name, and the TPM does not load it.
struct TPMPublicArea: Hashable, Sendable {
    /// The purpose of a key.
    enum Purpose: Hashable, Sendable {
        /// Wraps other keys.
        case storage
        /// Signs, for one alias.
        case signing(TPMCurve, KeyAlias)
        /// Signs only what the TPM reports about keys, never data from outside.
        case attestation
    }

    /// Attributes of all our keys: made in this TPM, not exportable, and not locked by wrong authorization values for
    /// other keys.
    private static let commonAttributes =
        TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT | TPMA_OBJECT_SENSITIVEDATAORIGIN | TPMA_OBJECT_USERWITHAUTH
        | TPMA_OBJECT_NODA

    /// The P-256 storage key of the TCG's provisioning guidance, which many TPMs already contain.
    static let storage = TPMPublicArea(
        .storage,
        x: [UInt8](repeating: 0, count: 32),
        y: [UInt8](repeating: 0, count: 32)
    )

    /// The attestation key of the endorsement hierarchy, which other tools can recreate from its attributes alone.
    static let attestation = TPMPublicArea(.attestation)

    let purpose: Purpose
    /// The coordinates as the TPM writes them, possibly without leading zeros: the name is a hash over these bytes.
    let x: [UInt8]
    let y: [UInt8]

    init(_ purpose: Purpose, x: [UInt8] = [], y: [UInt8] = []) {
        (self.purpose, self.x, self.y) = (purpose, x, y)
    }

    /// Reads a `TPM2B_PUBLIC` that must have this purpose.
    init?(_ bytes: [UInt8], _ purpose: Purpose) {
        let head = Self(purpose).area.dropLast(4)
        var rest = bytes[...]
        guard var area = TPMBytes.takeSized(&rest), rest.isEmpty, area.starts(with: head) else { return nil }
        area = area.dropFirst(head.count)
        guard let x = TPMBytes.takeSized(&area), let y = TPMBytes.takeSized(&area), area.isEmpty else { return nil }
        guard max(x.count, y.count) <= Self(purpose).curve.scalarCount else { return nil }
        self.init(purpose, x: Array(x), y: Array(y))
    }

    /// A `TPM2B_PUBLIC`, as tpm2-tools accept it.
    var encoded: [UInt8] { TPMBytes.sized(area) }

    /// The TPM's name of the key: the hash function, and the hash of the area.
    var name: [UInt8] { TPMBytes.of(TPM2_ALG_SHA256) + HashAlgorithm.sha256.hash(area) }

    var curve: TPMCurve {
        switch purpose {
        case .storage, .attestation: .p256
        case .signing(let curve, _): curve
        }
    }

    /// The key, if its coordinates are a point of the curve.
    func publicKey() throws(KeyStoreError) -> JWK {
        do {
            return try curve.publicKey(
                x: TPMBytes.padded(x, to: curve.scalarCount),
                y: TPMBytes.padded(y, to: curve.scalarCount)
            )
        } catch {
            throw KeyStoreError(.deviceFailed, "the TPM made a key that is not a point of the curve", underlying: error)
        }
    }

    /// The area as a structure of the C library.
    var structure: TPM2B_PUBLIC {
        var result = TPM2B_PUBLIC()
        result.publicArea.type = TPM2_ALG_ECC
        result.publicArea.nameAlg = TPM2_ALG_SHA256
        result.publicArea.objectAttributes = attributes
        Self.copy(policy, to: &result.publicArea.authPolicy.buffer)
        result.publicArea.authPolicy.size = UInt16(policy.count)
        unsafe result.publicArea.parameters.eccDetail = details
        unsafe Self.copy(x, to: &result.publicArea.unique.ecc.x.buffer)
        unsafe result.publicArea.unique.ecc.x.size = UInt16(x.count)
        unsafe Self.copy(y, to: &result.publicArea.unique.ecc.y.buffer)
        unsafe result.publicArea.unique.ecc.y.size = UInt16(y.count)
        return result
    }

    private var attributes: TPMA_OBJECT {
        switch purpose {
        case .storage: Self.commonAttributes | TPMA_OBJECT_RESTRICTED | TPMA_OBJECT_DECRYPT
        case .signing: Self.commonAttributes | TPMA_OBJECT_SIGN_ENCRYPT
        case .attestation: Self.commonAttributes | TPMA_OBJECT_RESTRICTED | TPMA_OBJECT_SIGN_ENCRYPT
        }
    }

    /// Binds a signing key to its alias.
    ///
    /// No policy session can have this digest: a policy digest is a hash over 32 zero bytes or another digest, and this
    /// is a hash over text. The key is used with its authorization value, which is empty.
    private var policy: [UInt8] {
        guard case .signing(_, let alias) = purpose else { return [] }
        return HashAlgorithm.sha256.hash(Array("keybound key of a TPM, version 1, alias: \(alias.text)".utf8))
    }

    private var details: TPMS_ECC_PARMS {
        var details = TPMS_ECC_PARMS()
        details.curveID = curve.curveID
        details.kdf.scheme = TPM2_ALG_NULL
        switch purpose {
        case .storage:
            details.symmetric.algorithm = TPM2_ALG_AES
            unsafe details.symmetric.keyBits.aes = 128
            unsafe details.symmetric.mode.aes = TPM2_ALG_CFB
            details.scheme.scheme = TPM2_ALG_NULL
        case .signing, .attestation:
            details.symmetric.algorithm = TPM2_ALG_NULL
            details.scheme.scheme = TPM2_ALG_ECDSA
            unsafe details.scheme.details.ecdsa.hashAlg = curve.hashID
        }
        return details
    }

    /// A `TPMT_PUBLIC`.
    private var area: [UInt8] {
        let algorithms: [TPM2_ALG_ID] =
            switch purpose {
            case .storage: [TPM2_ALG_AES, 128, TPM2_ALG_CFB, TPM2_ALG_NULL]
            case .signing, .attestation: [TPM2_ALG_NULL, TPM2_ALG_ECDSA, curve.hashID]
            }
        return TPMBytes.of(TPM2_ALG_ECC) + TPMBytes.of(TPM2_ALG_SHA256) + TPMBytes.of(attributes)
            + TPMBytes.sized(policy) + algorithms.flatMap(TPMBytes.of) + TPMBytes.of(curve.curveID)
            + TPMBytes.of(TPM2_ALG_NULL) + TPMBytes.sized(x) + TPMBytes.sized(y)
    }

    private static func copy<Buffer>(_ octets: [UInt8], to buffer: inout Buffer) {
        unsafe withUnsafeMutableBytes(of: &buffer) { unsafe $0.copyBytes(from: octets) }
    }
}
#endif
