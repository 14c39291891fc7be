// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import OAuthClient
import SigningKeys

/// The key of an account: where it lives, and the store that opens it.
struct AccountKey {
    /// For commands that open a key.
    static let openingOptions = KeyFileOpening.options + KeyPIN.options

    let place: AccountKeyPlace
    let store: any KeyStore
    private let alias: KeyAlias

    private init(_ place: AccountKeyPlace, _ store: any KeyStore, of account: ClientAccount) throws {
        self.place = place
        self.store = store
        alias = try Self.alias(of: account)
    }

    /// The name that the client gives its key.
    static func alias(of account: ClientAccount) throws -> KeyAlias {
        try KeyAlias("dpop-" + account.identifier)
    }

    /// Finds the store of the key of a signed-in account.
    init(opening record: AccountRecord, in directory: AccountDirectory, _ arguments: ParsedArguments) throws {
        let path = directory.keyDirectory(of: record.account)
        let files = try KeyFileOpening(directory: path, arguments)
        let store =
            if record.keyPlace.choice == .file {
                try files.store(record.keyPlace)
            } else {
                try Self.device(record.keyPlace, record.account, path, arguments)
            }
        try self.init(record.keyPlace, store, of: record.account)
    }

    /// A store for deleting a key.
    ///
    /// Files, encrypted or not, are deleted without asking for their secret.
    init(deleting record: AccountRecord, in directory: AccountDirectory, _ arguments: ParsedArguments) throws {
        let path = directory.keyDirectory(of: record.account)
        let store: any KeyStore =
            if record.keyPlace.choice == .file {
                UnencryptedFileKeyStore(directory: path)
            } else {
                try Self.device(record.keyPlace, record.account, path, arguments)
            }
        try self.init(record.keyPlace, store, of: record.account)
    }

    /// Decides where the key of a sign-in is stored; one that is not in a file is created or opened here.
    ///
    /// The key of an account that is already signed in, `earlier`, stays where it is.
    static func forSignIn(
        _ account: ClientAccount,
        earlier: AccountRecord?,
        in directory: AccountDirectory,
        _ arguments: ParsedArguments,
        _ console: Console
    ) async throws -> AccountKey {
        let path = directory.keyDirectory(of: account)
        let files = try KeyFileOpening(directory: path, arguments)
        switch try choice(arguments, files, earlier) {
        case .file: return try AccountKey(forFile: files, earlier?.keyPlace, account)
        case .auto: return try await automatic(account, path, files, arguments, console)
        case .secretService: return try await made(.secretService, account, path, arguments, console)
        case .tpm: return try await made(.tpm, account, path, arguments, console)
        case .token(let uri): return try await made(.token(uri: uri), account, path, arguments, console)
        }
    }

    /// Rejects an account without a key: a lost one would mean to sign in again, but here that makes none.
    static func require(of record: AccountRecord) throws {
        guard record.isBound else {
            throw CommandFailure(.failure, "the tokens of this account are bound to no key")
        }
    }

    /// Opens the key.
    func load() async throws -> any SigningKey {
        guard let key = try await store.load(alias) else { throw Self.gone }
        return key
    }

    /// What is known of the key.
    func facts() async throws -> [KeyFact] {
        guard let facts = try await store.facts(about: alias) else { throw Self.gone }
        return facts
    }

    /// Has the TPM state that it holds the key.
    func attestation(challenge: [UInt8]) async throws -> TPMKeyAttestation {
        guard let tpm = store as? TPMKeyStore else {
            throw CommandFailure.usage("only a TPM can attest a key, and this key is \(place.description)")
        }
        guard let attestation = try await tpm.attestation(of: alias, challenge: challenge) else { throw Self.gone }
        return attestation
    }

    /// Deletes the key.
    func delete() async throws {
        try await store.delete(alias)
    }

    /// Deletes the files that a failed sign-in left.
    static func deleteFiles(of account: ClientAccount, in directory: AccountDirectory) async throws {
        let store = UnencryptedFileKeyStore(directory: directory.keyDirectory(of: account))
        for alias in try await store.aliases() { try await store.delete(alias) }
    }

    private init(forFile files: KeyFileOpening, _ earlier: AccountKeyPlace?, _ account: ClientAccount) throws {
        let place = files.isAskedFor ? try files.newPlace() : try earlier ?? files.newPlace()
        try self.init(place, try files.store(place, isNew: true), of: account)
    }

    private static var gone: CommandFailure {
        CommandFailure(.signInNeeded, "the key of the account is gone", hint: "sign in again: keybound login")
    }

    private static func choice(
        _ arguments: ParsedArguments,
        _ files: KeyFileOpening,
        _ earlier: AccountRecord?
    ) throws -> KeyChoice {
        let asked = try KeyChoice(arguments)
        if files.isAskedFor, let asked, asked != .file, asked != .auto {
            throw CommandFailure.usage(
                "an option for key files was given, but \(KeyChoice.option.name) is "
                    + "\(asked.name)"
            )
        }
        let wanted = asked == .auto || asked == nil ? (files.isAskedFor ? .file : nil) : asked
        guard let earlier = earlier?.keyPlace.choice else {
            return wanted ?? (files.isStandard ? .file : .auto)
        }
        guard wanted == nil || wanted == earlier else {
            throw CommandFailure.usage(
                "the account is signed in with a key in another location (\(earlier.name)), and keys cannot be moved",
                hint: "run keybound logout first; the next sign-in creates a new key where you want it"
            )
        }
        return earlier
    }

    /// Uses hardware if there is any, otherwise a file; only then prompts for the secret of the file.
    private static func automatic(
        _ account: ClientAccount,
        _ path: String,
        _ files: KeyFileOpening,
        _ arguments: ParsedArguments,
        _ console: Console
    ) async throws -> AccountKey {
        guard !KeyDevices.preferred.isEmpty else { return try AccountKey(forFile: files, nil, account) }
        let filePlace = try files.newPlace()
        let software = DeferredKeyStore(directory: path) { try files.store(filePlace, isNew: true) }
        let devices = try KeyDevices.preferred.map { place in
            (place, KeyLocation(place.choice.name, try device(place, account, path, arguments)))
        }
        let placements = MemoryKeyLocationStore()
        let manager = KeyManager(
            hardware: devices.map(\.1),
            software: KeyLocation(KeyChoice.file.name, software),
            placements: placements
        )
        let alias = try alias(of: account)
        _ = try await manager.loadOrGenerate(alias: alias, algorithm: .es256) { event in
            guard event.kind == .fellBack, let error = event.error else { return }
            console.note("no key in \(event.place ?? "hardware"): \(error.reason); it is stored in a file")
        }
        let chosen = try await placements.place(of: alias)
        if let device = devices.first(where: { $0.1.name == chosen }) {
            return try AccountKey(device.0, device.1.store, of: account)
        }
        return try AccountKey(filePlace, software, of: account)
    }

    /// Creates the key before anything else, so that a wrong PIN has no side effects.
    private static func made(
        _ place: AccountKeyPlace,
        _ account: ClientAccount,
        _ path: String,
        _ arguments: ParsedArguments,
        _ console: Console
    ) async throws -> AccountKey {
        let key = try AccountKey(place, device(place, account, path, arguments), of: account)
        do {
            _ = try await key.store.loadOrGenerate(alias: key.alias)
        } catch {
            guard error.code == .keyLost else { throw error }
            // Only a new sign-in helps: tokens bound to the lost key are useless.
            console.note("the previous key is lost and is replaced by a new one: \(error.reason)")
            try await key.store.delete(key.alias)
            _ = try await key.store.loadOrGenerate(alias: key.alias)
        }
        return key
    }

    private static func device(
        _ place: AccountKeyPlace,
        _ account: ClientAccount,
        _ path: String,
        _ arguments: ParsedArguments
    ) throws -> any KeyStore {
        try KeyDevices.store(
            place,
            named: "keybound-" + account.identifier,
            in: path,
            pin: KeyPIN.source(arguments)
        )
    }
}
#endif
