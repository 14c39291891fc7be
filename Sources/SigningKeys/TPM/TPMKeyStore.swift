// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import JOSE
import OAuthCrypto

/// Keys that a TPM 2.0 made and that cannot leave it, each in a file that only this TPM opens.
///
/// Nothing has to be set up, and nothing is stored in the TPM. The TSS libraries are loaded when the TPM is first asked.
/// Any number of tasks and processes may use one directory at once, through a resource manager such as `/dev/tpmrm0`.
///
/// When the TPM is cleared, in the firmware or by its owner, the keys are lost for good, and are reported so. In a TPM that is
/// a program (swtpm) a key is ``/JOSE/KeyProtection/osProtected``, in any other one ``/JOSE/KeyProtection/hardwareBound``.
///
/// ## Specification
///
/// TCG Trusted Platform Module Library 2.0, Part 3: TPM2_Create, TPM2_Load, TPM2_Sign; TCG TSS 2.0 Enhanced System API
public struct TPMKeyStore: KeyStore {
    /// The most octets that an authorization value may have.
    public static let maximumAuthorizationCount = 64

    private let files: KeyFiles<TPMKeyFileCodec>
    private let device: TPMDevice

    /// Names a directory and a TPM; nothing is read or opened yet.
    ///
    /// - Parameters:
    ///   - directory: A path; the last component is made, with mode 0700, when the first key is.
    ///   - tcti: How the TPM is reached, in the words of the TCTI loader: `device:` and the path of a device, `tabrmd`, ...
    ///   - ownerAuthorization: The authorization value of the owner hierarchy, if it has one: at most 64 octets. It is proven
    ///     to the TPM, never sent to it, and only where the system keeps no storage key at handle 0x81000001. Wipe your copy.
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
        files = KeyFiles(path: directory, codec: TPMKeyFileCodec(device: device), patience: .seconds(30))
    }

    /// Opens the key of a name, or makes it, in one step, and says which.
    ///
    /// - Parameters:
    ///   - alias: The name of the key.
    ///   - algorithm: ES256; ES384 where the TPM has P-384.
    ///   - report: Told ``KeyEvent/Kind/made`` when this call made the key.
    /// - Returns: The key; a new one has signed, and its signature was verified.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/keyLost`` when the TPM does not open the key,
    ///   ``KeyStoreError/Code/deviceUnavailable``, ``KeyStoreError/Code/deviceLocked``, ``KeyStoreError/Code/deviceFailed``,
    ///   ``KeyStoreError/Code/wrongPIN`` when the owner's authorization value is missing or wrong,
    ///   ``KeyStoreError/Code/malformedKeyFile``, ``KeyStoreError/Code/insecurePermissions``,
    ///   ``KeyStoreError/Code/storageFailed``, ``KeyStoreError/Code/unsupportedAlgorithm``.
    public func loadOrGenerate(
        alias: KeyAlias,
        algorithm: SignatureAlgorithm,
        reporting report: @escaping @Sendable (KeyEvent) -> Void
    ) async throws(KeyStoreError) -> any SigningKey {
        try await files.loadOrGenerate(alias, algorithm, reporting: report)
    }

    /// Opens the key of a name.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The key; `nil` when the name has none.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/keyLost`` when the TPM does not open the key,
    ///   ``KeyStoreError/Code/deviceUnavailable``, ``KeyStoreError/Code/deviceLocked``, ``KeyStoreError/Code/deviceFailed``,
    ///   ``KeyStoreError/Code/wrongPIN``, ``KeyStoreError/Code/malformedKeyFile``,
    ///   ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed``.
    public func load(_ alias: KeyAlias) async throws(KeyStoreError) -> (any SigningKey)? {
        try await files.load(alias)
    }

    /// The names that have a key file.
    ///
    /// - Returns: The names in ascending order; the TPM is not asked.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed``.
    public func aliases() async throws(KeyStoreError) -> [KeyAlias] {
        try await files.aliases()
    }

    /// Removes the key file of a name, if there is one; the TPM is not asked, and keeps nothing of the key.
    ///
    /// - Parameter alias: The name of the key.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/insecurePermissions``, ``KeyStoreError/Code/storageFailed``.
    public func delete(_ alias: KeyAlias) async throws(KeyStoreError) {
        try await files.delete(alias)
    }

    /// Connects to the TPM, which a list of the names does not need.
    ///
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/deviceUnavailable``, ``KeyStoreError/Code/deviceFailed``.
    public func requireReadiness() async throws(KeyStoreError) {
        try await device.run { _ in }
    }

    /// What is known about the key of a name and the TPM that holds it.
    ///
    /// - Parameter alias: The name of the key.
    /// - Returns: The facts; `nil` when the name has no key. What the TPM says of itself is a claim, not a proof.
    /// - Throws: ``KeyStoreError``, as ``load(_:)``.
    public func facts(about alias: KeyAlias) async throws(KeyStoreError) -> [KeyFact]? {
        guard let key = try await files.load(alias) else { return nil }
        let blob = key.blob
        let facts = try await device.run { session throws(TPMStatus) in try session.facts(about: blob) }
        return KeyFact.common(key) + facts + [KeyFact("connection", device.configuration)]
    }

    /// Has the TPM state that it holds the key of a name.
    ///
    /// - Parameters:
    ///   - alias: The name of the key.
    ///   - challenge: What whoever will check the statement wants to find in it, so that it is not an old one: at most 32 octets.
    /// - Returns: The statement, whose signature and contents were checked; `nil` when the name has no key.
    /// - Throws: ``KeyStoreError``, as ``load(_:)``; ``KeyStoreError/Code/invalidSecret`` for a challenge that is too long,
    ///   ``KeyStoreError/Code/wrongPIN`` when the endorsement hierarchy demands an authorization value.
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
