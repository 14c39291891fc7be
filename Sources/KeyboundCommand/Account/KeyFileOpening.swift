// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthCrypto
import OAuthSystem
import SigningKeys

/// How a key in a file is opened: with a passphrase, a credential, or nothing.
struct KeyFileOpening: Sendable {
    static let passphraseFile = Option.value(
        "--passphrase-file",
        "FILE",
        "a file with the passphrase of the key on a single line; - is standard input"
    )
    static let credentialFile = Option.value(
        "--key-credential-file",
        "FILE",
        "a file with the 32 bytes that encrypt the key",
        default: "$KEYBOUND_KEY_CREDENTIAL_FILE"
    )
    static let credentialDescriptor = Option.value(
        "--key-credential-fd",
        "N",
        "an open file descriptor from which to read these 32 bytes"
    )
    static let unencrypted = Option.flag(
        "--unencrypted-key-file",
        "store the key unencrypted: anyone with a copy of your files can use your tokens"
    )

    /// For commands that open a key.
    static let options = [passphraseFile, credentialFile, credentialDescriptor]

    private static let credentialVariable = "KEYBOUND_KEY_CREDENTIAL_FILE"

    private let directory: String
    private let arguments: ParsedArguments

    init(directory: String, _ arguments: ParsedArguments) throws {
        try arguments.requireAtMostOne(of: Self.options + [Self.unencrypted])
        self.directory = directory
        self.arguments = arguments
    }

    /// Whether an option says how to protect a file, which implies that the key is in a file.
    var isAskedFor: Bool { (Self.options + [Self.unencrypted]).contains(where: arguments.has) }

    /// Whether a variable says so: then a new key is in a file, unless an option says where.
    var isStandard: Bool { ProcessEnvironment.value(Self.credentialVariable) != nil }

    /// How a new file is protected; reads no file and prompts for nothing.
    func newPlace() throws -> AccountKeyPlace {
        if arguments.has(Self.unencrypted) { return .clearFile }
        if arguments.has(Self.credentialDescriptor) { return .credentialFile(path: nil) }
        guard let file = credentialFile(remembered: nil) else { return .passphraseFile }
        return .credentialFile(path: file == "-" ? nil : try AbsolutePath.of(file))
    }

    /// The store of the files.
    ///
    /// With `isNew`, and if there is no key yet, a new passphrase must be typed twice.
    func store(_ place: AccountKeyPlace, isNew: Bool = false) throws -> any KeyStore {
        switch place {
        case .credentialFile(let remembered):
            var bytes = try credential(remembered: remembered)
            defer { SecretMemory.wipe(&bytes) }
            return try store(.credential(bytes))
        case .passphraseFile:
            let isFirst = try isNew && DirectoryListing.names(in: directory).isEmpty
            let question = isFirst ? "New passphrase for the key" : "Passphrase of the key"
            var bytes = try passphrase(question: question, isNew: isFirst)
            defer { SecretMemory.wipe(&bytes) }
            return try store(.passphrase(bytes))
        default:
            return UnencryptedFileKeyStore(directory: directory)
        }
    }

    private func store(_ secret: KeyFileSecret) throws -> any KeyStore {
        try EncryptedFileKeyStore(directory: directory, secret: secret)
    }

    private func passphrase(question: String, isNew: Bool) throws -> [UInt8] {
        if let path = arguments.value(Self.passphraseFile) { return Array(try InputFile.secretLine(path).utf8) }
        guard let prompt = SecretPrompt() else {
            throw CommandFailure(
                .keyLocked,
                "there is no terminal to ask for the passphrase of the key",
                hints: [
                    "\(Self.passphraseFile.name) FILE or \(Self.credentialFile.name) FILE gives the secret that "
                        + "encrypts the key",
                    "\(Self.unencrypted.name) of keybound login stores the key unencrypted",
                ]
            )
        }
        let passphrase = try prompt.ask(question)
        guard !passphrase.isEmpty else { throw CommandFailure(.keyLocked, "the passphrase is empty") }
        if isNew, try !prompt.ask("\(question) again").isIdenticalInConstantTime(to: passphrase) {
            throw CommandFailure(.keyLocked, "the two inputs differ; nothing was changed")
        }
        return Array(passphrase.utf8)
    }

    private func credentialFile(remembered: String?) -> String? {
        if arguments.has(Self.passphraseFile) { return nil }
        return arguments.value(Self.credentialFile) ?? remembered ?? ProcessEnvironment.value(Self.credentialVariable)
    }

    private func credential(remembered: String?) throws -> [UInt8] {
        if let number = arguments.value(Self.credentialDescriptor) {
            return try SecretSource.read(descriptor: number, named: Self.credentialDescriptor.name, limit: 4096)
        }
        guard let file = credentialFile(remembered: remembered) else {
            throw CommandFailure(
                .keyLocked,
                "the key is encrypted with a credential",
                hint: "give it with \(Self.credentialFile.name) or \(Self.credentialDescriptor.name)"
            )
        }
        do {
            return try InputFile.secret(file, limit: 4096)
        } catch let failure as CommandFailure {
            throw CommandFailure(.keyLocked, failure.message, hints: failure.hints)
        }
    }
}
#endif
