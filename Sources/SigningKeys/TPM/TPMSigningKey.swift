// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import OAuthCrypto
import OAuthSystem

struct TPMSigningKey: SigningKey {
    let publicKey: JWK
    let protection: KeyProtection
    let blob: TPMBlob
    private let device: TPMDevice

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

    /// Signs a random value that serves no other purpose, and verifies it: detects a TPM that computes wrongly.
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

    /// The JWS format: both numbers with the size of the curve in bytes (RFC 7518 section 3.4).
    static func joined(_ numbers: (r: [UInt8], s: [UInt8]), count: Int) throws(KeyStoreError) -> [UInt8] {
        guard max(numbers.r.count, numbers.s.count) <= count else {
            throw KeyStoreError(.deviceFailed, "the TPM made a signature that is too long for its curve")
        }
        return TPMBytes.padded(numbers.r, to: count) + TPMBytes.padded(numbers.s, to: count)
    }
}
#endif
