// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthCrypto
import OAuthSystem
import SigningKeys

/// How the signing keys are encrypted.
struct KeyProtectionSettings: Sendable {
    /// Encrypts keys for the database.
    let sealer: any KeyWrapper
    /// The protection in words.
    let description: String
    private let secret: KeyFileSecret?

    init(_ settings: ServerSettings) throws {
        _ = try Self.check(settings)
        if try settings.flag(.unencryptedKeyFile) {
            self.init(sealer: KeyFileWrapper.leavingKeysUnencrypted(), description: "NOT ENCRYPTED", secret: nil)
            return
        }
        var credential = try Self.credential(settings)
        defer { SecretMemory.wipe(&credential.bytes) }
        try self.init(credential.bytes, of: credential.source)
    }

    /// Protection of keys in the database, next to those in a token; `nil` if no credential is set.
    init?(ifGiven settings: ServerSettings) throws {
        guard try Self.check(settings) || Self.standardCredential() != nil else { return nil }
        try self.init(settings)
    }

    init(credentialFile path: String) throws {
        var bytes = try Self.read(path)
        defer { SecretMemory.wipe(&bytes) }
        try self.init(bytes, of: "the credential in \(path)")
    }

    private init(_ bytes: [UInt8], of source: String) throws {
        guard bytes.count == KeyFileSecret.credentialCount else {
            throw CommandFailure(
                .usage,
                "\(source) has \(bytes.count) bytes; a credential has exactly 32",
                hint: "(umask 077; head -c 32 /dev/urandom >FILE) makes one"
            )
        }
        let secret = KeyFileSecret.credential(bytes)
        self.init(
            sealer: try KeyFileWrapper(encryptingWith: secret),
            description: "encrypted with \(source)",
            secret: secret
        )
    }

    private init(sealer: any KeyWrapper, description: String, secret: KeyFileSecret?) {
        self.sealer = sealer
        self.description = description
        self.secret = secret
    }

    /// The key files of earlier versions, protected in the same way.
    func keyFiles(in directory: String) throws -> any KeyStore {
        if let secret { return try EncryptedFileKeyStore(directory: directory, secret: secret) }
        return UnencryptedFileKeyStore(directory: directory)
    }

    /// Checks the settings about the protection of the keys, and the mode of a file that they name; opens nothing.
    ///
    /// - Returns: Whether they name a protection; if not, systemd has to provide the credential.
    static func check(_ settings: ServerSettings) throws -> Bool {
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
        if let path = settings.text(.keyCredentialFile) {
            try settings.naming(.keyCredentialFile) { try InputFile.checkSecret(path) }
        }
        return !places.isEmpty
    }

    private static func credential(_ settings: ServerSettings) throws -> (bytes: [UInt8], source: String) {
        if let path = settings.text(.keyCredentialFile) {
            return (try settings.naming(.keyCredentialFile) { try read(path) }, "the credential in \(path)")
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
        if let path = standardCredential() { return (try read(path), "the systemd credential keybound-key") }
        throw CommandFailure(
            .keyLocked,
            "no credential is set that encrypts the signing key",
            hints: [
                "a file of 32 random bytes: (umask 077; head -c 32 /dev/urandom >FILE), then --key-credential-file FILE",
                "or a systemd credential named keybound-key; see docs/configuration.md",
                "to try things out with an unencrypted key: --unencrypted-key-file",
            ]
        )
    }

    /// The systemd credential that is used by default.
    private static func standardCredential() -> String? {
        ProcessEnvironment.value("CREDENTIALS_DIRECTORY").map { $0 + "/keybound-key" }
            .flatMap { PrivateFile.exists($0) ? $0 : nil }
    }

    private static func read(_ path: String) throws -> [UInt8] {
        do {
            return try InputFile.secret(path, limit: 4096)
        } catch let failure as CommandFailure {
            throw CommandFailure(.keyLocked, failure.message, hints: failure.hints)
        }
    }
}
#endif
