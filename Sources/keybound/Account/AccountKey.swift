// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import OAuthClient
import SigningKeys

/// The key of an account, and the options that say what opens it.
struct AccountKey {
    static let passphraseFile = Option.value(
        "--passphrase-file",
        "FILE",
        "a file with the passphrase of the key on its one line; - is standard input"
    )
    static let credentialFile = Option.value(
        "--key-credential-file",
        "FILE",
        "a file with the 32 bytes that the key is encrypted with; $KEYBOUND_KEY_CREDENTIAL_FILE unless given"
    )
    static let credentialDescriptor = Option.value(
        "--key-credential-fd",
        "N",
        "an open file descriptor to read these 32 bytes from"
    )
    static let unencrypted = Option.flag(
        "--unencrypted-key-file",
        "keep the key in clear: whoever gets at a copy of your files can use your tokens"
    )

    /// For commands that open a key.
    static let openingOptions = [passphraseFile, credentialFile, credentialDescriptor]

    /// What opens the key, and what is remembered of that.
    let secret: AccountRecord.KeySecret
    /// Where the key is, and nothing else.
    let store: any KeyStore

    /// Decides how a key is protected when signing in.
    init(protecting account: ClientAccount, in directory: AccountDirectory, _ arguments: ParsedArguments) throws {
        try arguments.requireAtMostOne(of: Self.openingOptions + [Self.unencrypted])
        let path = directory.keyDirectory(of: account)
        if arguments.has(Self.unencrypted) {
            (store, secret) = (UnencryptedFileKeyStore(directory: path), .none)
        } else if let (bytes, file) = try Self.credential(arguments, remembered: nil) {
            (store, secret) = (try Self.store(path, .credential(bytes)), .credential(file: file))
        } else {
            let isNew = try DirectoryListing.names(in: path).isEmpty
            let question = isNew ? "New passphrase for the key" : "Passphrase of the key"
            let passphrase = try Self.passphrase(arguments, question: question, isNew: isNew)
            (store, secret) = (try Self.store(path, .passphrase(passphrase)), .passphrase)
        }
    }

    /// Finds what opens the key of an account that is signed in.
    init(opening record: AccountRecord, in directory: AccountDirectory, _ arguments: ParsedArguments) throws {
        try arguments.requireAtMostOne(of: Self.openingOptions)
        let path = directory.keyDirectory(of: record.account)
        secret = record.keySecret
        switch record.keySecret {
        case .none:
            store = UnencryptedFileKeyStore(directory: path)
        case .passphrase:
            let passphrase = try Self.passphrase(arguments, question: "Passphrase of the key", isNew: false)
            store = try Self.store(path, .passphrase(passphrase))
        case .credential(let file):
            guard let (bytes, _) = try Self.credential(arguments, remembered: file) else {
                throw CommandFailure(
                    .keyLocked,
                    "the key is encrypted with a credential",
                    hint: "give it with \(Self.credentialFile.name) or \(Self.credentialDescriptor.name)"
                )
            }
            store = try Self.store(path, .credential(bytes))
        }
    }

    /// Opens the key.
    func load() async throws -> any SigningKey {
        guard let alias = try await store.aliases().first, let key = try await store.load(alias) else {
            throw CommandFailure(.signInNeeded, "the key of the account is gone", hint: "sign in again: keybound login")
        }
        return key
    }

    /// Deletes the key of an account; nothing is needed to open it.
    static func delete(of account: ClientAccount, in directory: AccountDirectory) async throws {
        let store = storeForDeleting(account, in: directory)
        for alias in try await store.aliases() { try await store.delete(alias) }
    }

    /// A store that asks for no secret: deleting is the same for encrypted keys.
    static func storeForDeleting(_ account: ClientAccount, in directory: AccountDirectory) -> any KeyStore {
        UnencryptedFileKeyStore(directory: directory.keyDirectory(of: account))
    }

    private static func store(_ path: String, _ secret: KeyFileSecret) throws -> any KeyStore {
        try EncryptedFileKeyStore(directory: path, secret: secret)
    }

    private static func passphrase(_ arguments: ParsedArguments, question: String, isNew: Bool) throws -> [UInt8] {
        if let path = arguments.value(passphraseFile) { return Array(try InputFile.line(path).utf8) }
        guard let prompt = SecretPrompt() else {
            throw CommandFailure(
                .keyLocked,
                "there is no terminal to ask for the passphrase of the key",
                hints: [
                    "\(passphraseFile.name) FILE or \(credentialFile.name) FILE gives what the key is encrypted with",
                    "\(unencrypted.name) of keybound login keeps the key in clear",
                ]
            )
        }
        let passphrase = try prompt.ask(question)
        guard !passphrase.isEmpty else { throw CommandFailure(.keyLocked, "the passphrase is empty") }
        if isNew, try !prompt.ask("\(question) again").isIdenticalInConstantTime(to: passphrase) {
            throw CommandFailure(.keyLocked, "the two differ; nothing was changed")
        }
        return Array(passphrase.utf8)
    }

    private static func credential(
        _ arguments: ParsedArguments,
        remembered: String?
    ) throws -> (bytes: [UInt8], file: String?)? {
        if let number = arguments.value(credentialDescriptor) {
            return (try SecretSource.read(descriptor: number, named: credentialDescriptor.name, limit: 4096), nil)
        }
        if arguments.has(passphraseFile) { return nil }
        let file =
            arguments.value(credentialFile) ?? remembered
            ?? ProcessEnvironment.value("KEYBOUND_KEY_CREDENTIAL_FILE")
        guard let file else { return nil }
        do {
            return (try InputFile.read(file, limit: 4096), file == "-" ? nil : try AbsolutePath.of(file))
        } catch let failure as CommandFailure {
            throw CommandFailure(.keyLocked, failure.message, hints: failure.hints)
        }
    }
}
#endif
