// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import SigningKeys

/// The keys that sign access tokens and id_tokens, and how they are protected.
struct ServerKey: Sendable {
    let key: any SigningKey
    /// The key that signs id_tokens, RS256 as OpenID Connect demands; `nil` without the scope `openid`.
    let idTokenKey: (any SigningKey)?
    /// How it is protected, in words.
    let protection: String

    /// What clients can be registered for: the algorithms of the two keys.
    static let idTokenAlgorithms: [SignatureAlgorithm] = [.rs256, .es256]

    /// Opens the keys, or makes them at the first start; of several processes that do so at once all get the same ones.
    init(_ settings: ServerSettings, in directory: String, forOpenID isForOpenID: Bool) async throws {
        let (store, protection) = try Self.store(settings, directory)
        key = try await Self.open("access-tokens", .es256, store, directory)
        // Half a second of work at the first start: done only where it is of use.
        idTokenKey = isForOpenID ? try await Self.open("id-tokens", .rs256, store, directory) : nil
        self.protection = protection
    }

    private static func open(
        _ alias: String,
        _ algorithm: SignatureAlgorithm,
        _ store: any KeyStore,
        _ directory: String
    ) async throws -> any SigningKey {
        let alias = try KeyAlias(alias)
        do {
            return try await store.loadOrGenerate(alias: alias, algorithm: algorithm)
        } catch {
            guard error.code == .wrongPassphrase || error.code == .malformedKeyFile else { throw error }
            throw CommandFailure(
                .keyLocked,
                error.reason,
                hints: [
                    "the key in \(directory) opens with what it was made with, and with nothing else",
                    "another --key-directory starts with a new key; access tokens of the old one are then refused",
                ]
            )
        }
    }

    /// Checks what the settings say of the protection of the key; opens nothing.
    ///
    /// - Returns: Whether they say anything; if not, systemd has to bring the credential.
    static func checkProtection(_ settings: ServerSettings) throws -> Bool {
        let isUnencrypted = try settings.flag(.unencryptedKeyFile)
        let given = [Setting.keyCredential, .keyCredentialFile, .keyCredentialDescriptor]
            .filter { settings.text($0) != nil }
        let places = given.map(settings.place) + (isUnencrypted ? [settings.place(of: .unencryptedKeyFile)] : [])
        guard places.count <= 1 else {
            throw CommandFailure.usage(
                "\(places.joined(separator: " and ")) exclude each other",
                hint: "keep one of them"
            )
        }
        return !places.isEmpty
    }

    private static func store(_ settings: ServerSettings, _ directory: String) throws -> (any KeyStore, String) {
        _ = try checkProtection(settings)
        if try settings.flag(.unencryptedKeyFile) {
            return (UnencryptedFileKeyStore(directory: directory), "NOT ENCRYPTED")
        }
        let (bytes, source) = try credential(settings)
        guard bytes.count == 32 else {
            throw CommandFailure(
                .usage,
                "\(source) has \(bytes.count) bytes, and a credential has exactly 32",
                hint: "head -c 32 /dev/urandom >FILE makes one"
            )
        }
        let store = try EncryptedFileKeyStore(directory: directory, secret: .credential(bytes))
        return (store, "encrypted with \(source)")
    }

    private static func credential(_ settings: ServerSettings) throws -> (bytes: [UInt8], source: String) {
        if let path = settings.text(.keyCredentialFile) {
            return (try read(path), "the credential in \(path)")
        }
        if let number = settings.text(.keyCredentialDescriptor) {
            let place = settings.place(of: .keyCredentialDescriptor)
            let bytes = try SecretSource.read(descriptor: number, named: place, limit: 4096)
            return (bytes, "the credential of file descriptor \(number)")
        }
        let directory = ProcessEnvironment.value("CREDENTIALS_DIRECTORY")
        if let name = settings.text(.keyCredential) {
            guard let directory else {
                throw CommandFailure.usage(
                    "\(settings.place(of: .keyCredential)) is set, but there is no $CREDENTIALS_DIRECTORY",
                    hint: "systemd sets it: LoadCredentialEncrypted=\(name) in the unit"
                )
            }
            return (try read(directory + "/" + name), "the systemd credential \(name)")
        }
        if let path = directory.map({ $0 + "/keybound-key" }), PrivateDirectory.exists(path) {
            return (try read(path), "the systemd credential keybound-key")
        }
        throw CommandFailure(
            .keyLocked,
            "nothing says what the signing key is encrypted with",
            hints: [
                "a file of 32 random bytes: head -c 32 /dev/urandom >FILE, then --key-credential-file FILE",
                "or a systemd credential named keybound-key; see docs/configuration.md",
                "to keep the key in clear, for trying things out: --unencrypted-key-file",
            ]
        )
    }

    private static func read(_ path: String) throws -> [UInt8] {
        do {
            return try InputFile.read(path, limit: 4096)
        } catch let failure as CommandFailure {
            throw CommandFailure(.keyLocked, failure.message, hints: failure.hints)
        }
    }
}
#endif
