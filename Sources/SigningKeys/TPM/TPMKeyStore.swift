// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
package import JOSE
import OAuthCrypto

/// Keys made in a TPM 2.0 and not exportable, each in a file that only this TPM can load.
///
/// No setup is needed, and nothing is stored in the TPM. The TSS libraries are loaded on first use. Any number of tasks
/// and processes may use a directory at once, through a resource manager such as `/dev/tpmrm0`.
///
/// If the firmware or the owner clears the TPM, the keys are permanently lost and reported as lost. In a software TPM
/// (swtpm) a key is ``/JOSE/KeyProtection/osProtected``, in any other one ``/JOSE/KeyProtection/hardwareBound``.
///
/// New keys are for ES256, or for ES384 if the TPM supports P-384. A new key has made a test signature, which was
/// verified. The TPM is used only to open or make a key, and for facts and statements about one.
///
/// Opening or making a key throws ``KeyStoreError`` – ``KeyStoreError/Code/keyLost`` if the TPM does not load the key,
/// ``KeyStoreError/Code/deviceUnavailable``, ``KeyStoreError/Code/deviceLocked``,
/// ``KeyStoreError/Code/deviceFailed``, ``KeyStoreError/Code/wrongPIN`` if the owner's authorization value is missing
/// or wrong, ``KeyStoreError/Code/malformedKeyFile``, ``KeyStoreError/Code/insecurePermissions``,
/// ``KeyStoreError/Code/storageFailed``, ``KeyStoreError/Code/unsupportedAlgorithm``.
///
/// ## Specification
///
/// TCG Trusted Platform Module Library 2.0, Part 3: TPM2_Create, TPM2_Load, TPM2_Sign; TCG TSS 2.0 Enhanced System API
public struct TPMKeyStore: FileBackedKeyStore {
    /// The maximum size of an authorization value in bytes.
    public static let maximumAuthorizationCount = 64

    let files: KeyFiles<TPMKeyFileCodec>
    private let device: TPMDevice

    /// Selects a directory and a TPM; reads and opens nothing yet.
    ///
    /// - Parameters:
    ///   - directory: A path; its last component is created with mode 0700 for the first key.
    ///   - tcti: The connection to the TPM in the TCTI loader's syntax: `device:` and the path of a device, `tabrmd`,
    ///     ...
    ///   - ownerAuthorization: The authorization value of the owner hierarchy, if it has one: at most 64 bytes. It is
    ///     used only if the system has no storage key at handle 0x81000001, and it is proven to the TPM but never sent.
    ///     Wipe your copy.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/invalidSecret``.
    public init(
        directory: String,
        tcti: String = "device:/dev/tpmrm0",
        ownerAuthorization: [UInt8]? = nil
    ) throws(KeyStoreError) {
        try self.init(
            directory: directory,
            tcti: tcti,
            ownerAuthorization: ownerAuthorization,
            idleTime: .seconds(10)
        )
    }

    init(
        directory: String,
        tcti: String,
        ownerAuthorization: [UInt8]? = nil,
        idleTime: Duration
    ) throws(KeyStoreError) {
        if let ownerAuthorization, ownerAuthorization.count > Self.maximumAuthorizationCount {
            throw KeyStoreError(.invalidSecret, "the authorization value of a TPM's owner has at most 64 octets")
        }
        device = TPMDevice(
            configuration: tcti,
            authorization: ownerAuthorization.map { SecretBytes(copying: $0) },
            idleTime: idleTime
        )
        files = KeyFiles(path: directory, codec: TPMKeyFileCodec(device: device), timeout: .seconds(30))
    }

    /// Connects to the TPM, which listing the aliases does not do.
    ///
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/deviceUnavailable``, ``KeyStoreError/Code/deviceFailed``.
    public func requireReadiness() async throws(KeyStoreError) {
        try await device.run { _ in }
    }

    /// The known facts about the key of an alias and its TPM.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The facts; `nil` if the alias has no key. What the TPM reports about itself is a claim, not a proof.
    /// - Throws: ``KeyStoreError``, as for opening the key.
    public func facts(about alias: KeyAlias) async throws(KeyStoreError) -> [KeyFact]? {
        guard let key = try await files.load(alias) else { return nil }
        let blob = key.blob
        let facts = try await device.run { session throws(TPMStatus) in try session.facts(about: blob) }
        return KeyFact.common(key) + facts + [KeyFact("connection", device.configuration)]
    }

    /// The alias of a key, found by its public half in the key files: the TPM is not used.
    ///
    /// - Parameter key: The public half.
    /// - Returns: The alias; `nil` if no file of the directory has the key. Files that cannot be read are skipped.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed``.
    package func alias(of key: JWK) async throws(KeyStoreError) -> KeyAlias? {
        let thumbprint = key.thumbprint
        return try await files.alias { bytes, alias in
            (try? TPMKeyFile.decode(bytes, alias: alias).publicArea.publicKey())?.thumbprint == thumbprint
        }
    }

    /// Makes the TPM certify that it holds the key of an alias.
    ///
    /// - Parameters:
    ///   - alias: The name of the key.
    ///   - challenge: The verifier's challenge, which proves that the statement is fresh: at most 32 bytes.
    /// - Returns: The statement, with verified signature and contents; `nil` if the alias has no key.
    /// - Throws: ``KeyStoreError``, as for opening the key; ``KeyStoreError/Code/invalidSecret`` for a challenge that is too
    ///   long, ``KeyStoreError/Code/wrongPIN`` if the endorsement hierarchy requires an authorization value.
    public func attestation(
        of alias: KeyAlias,
        challenge: [UInt8]
    ) async throws(KeyStoreError) -> TPMKeyAttestation? {
        guard challenge.count <= TPMKeyAttestation.maximumChallengeCount else {
            throw KeyStoreError(.invalidSecret, "a challenge for a TPM has at most 32 octets")
        }
        guard let blob = try await files.load(alias)?.blob else { return nil }
        let answer = try await device.run { session throws(TPMStatus) in
            try session.certify(blob, challenge: challenge)
        }
        let signature = try TPMSigningKey.joined((answer.r, answer.s), count: answer.signer.curve.scalarCount)
        return try TPMKeyAttestation(
            answer.statement,
            signature: signature,
            signer: answer.signer,
            about: blob.publicArea,
            challenge: challenge
        )
    }
}
#endif
