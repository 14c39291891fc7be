// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import OAuthCrypto
import OAuthSystem

/// A key that a TPM holds.
struct TPMSigningKey: SigningKey {
    let publicKey: JWK
    let protection: KeyProtection
    let blob: TPMBlob
    private let device: TPMDevice

    /// Opens a key in the TPM.
    init(_ blob: TPMBlob, _ device: TPMDevice) throws(KeyStoreError) {
        protection = try device.use { session throws(TPMStatus) in
            try session.open(blob)
            return session.properties.protection
        }
        publicKey = try blob.publicArea.publicKey()
        self.blob = blob
        self.device = device
    }

    var algorithm: SignatureAlgorithm { blob.publicArea.curve.algorithm }

    func sign(_ message: [UInt8]) async throws -> [UInt8] {
        let (curve, blob) = (blob.publicArea.curve, blob)
        let digest = curve.hash.hash(message)
        return try Self.joined(
            await device.sign(digest, with: blob),
            count: curve.scalarCount
        )
    }

    /// Signs something that only this key is asked to sign, and verifies it: a TPM that computes wrongly is found now.
    func prove() throws(KeyStoreError) {
        let (curve, blob, message) = (blob.publicArea.curve, blob, SystemRandom.bytes(32))
        let digest = curve.hash.hash(message)
        let numbers = try device.use { session throws(TPMStatus) in
            try session.sign(digest, with: blob) {}
        }
        let signature = try Self.joined(numbers, count: curve.scalarCount)
        guard publicKey.isValidSignature(signature, for: message, algorithm: algorithm) else {
            throw KeyStoreError(.deviceFailed, "the TPM made a signature that is not one of the new key")
        }
    }

    /// The form of JWS: both numbers with as many octets as the curve has (RFC 7518 section 3.4).
    static func joined(_ numbers: (r: [UInt8], s: [UInt8]), count: Int) throws(KeyStoreError) -> [UInt8] {
        guard max(numbers.r.count, numbers.s.count) <= count else {
            throw KeyStoreError(.deviceFailed, "the TPM made a signature that is too long for its curve")
        }
        return TPMOctets.padded(numbers.r, to: count) + TPMOctets.padded(numbers.s, to: count)
    }
}
#endif
