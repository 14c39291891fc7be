// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE

/// Key files whose keys a TPM loads.
struct TPMKeyFileCodec: KeyFileCodec {
    let device: TPMDevice

    func decode(_ bytes: [UInt8], alias: KeyAlias) throws(KeyStoreError) -> TPMSigningKey {
        try TPMSigningKey(TPMKeyFile.decode(bytes, alias: alias), device)
    }

    func generate(
        _ algorithm: SignatureAlgorithm,
        alias: KeyAlias,
        others: [(alias: KeyAlias, bytes: [UInt8])]
    ) throws(KeyStoreError) -> (bytes: [UInt8], key: TPMSigningKey) {
        guard let curve = TPMCurve(algorithm) else {
            throw KeyStoreError(.unsupportedAlgorithm, "keys of a TPM sign with ES256, and if it has P-384, ES384")
        }
        let blob = try device.use { session throws(TPMStatus) in try session.create(.signing(curve, alias)) }
        let bytes = TPMKeyFile.encode(blob, alias: alias)
        // From the bytes, as every other process will open it.
        let key = try decode(bytes, alias: alias)
        try key.prove()
        return (bytes, key)
    }
}
#endif
