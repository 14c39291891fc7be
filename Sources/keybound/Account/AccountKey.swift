// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import OAuthClient
import SigningKeys

/// The key of an account: where it lives, and the store that opens it.
struct AccountKey {
    /// For commands that open a key.
    static let openingOptions = KeyFileOpening.options + KeyPIN.options

    /// What is remembered of where the key lives.
    let place: AccountKeyPlace
    /// Where the key is, and nothing else that is the account's.
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

    /// Finds what opens the key of an account that is signed in.
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

    /// A store that asks for no secret where none is needed to delete a key: files, encrypted or not.
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

    /// Decides where the key of a sign-in lives; one that is not in a file is made or opened here.
    ///
    /// The key of an account that is signed in already, `earlier`, stays where it is.
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

    /// Has the TPM that holds the key state so.
    func attestation(challenge: [UInt8]) async throws -> TPMKeyAttestation {
        guard let tpm = store as? TPMKeyStore else {
            throw CommandFailure.usage("only a TPM states what it holds, and the key is \(place.description)")
        }
        guard let attestation = try await tpm.attestation(of: alias, challenge: challenge) else { throw Self.gone }
        return attestation
    }

    /// Deletes the key.
    func delete() async throws {
        try await store.delete(alias)
    }

    /// Deletes what a sign-in that came to nothing left in files.
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
            throw CommandFailure.usage("what opens a key file was given, and \(KeyChoice.option.name) is \(asked.name)")
        }
        let wanted = asked == .auto || asked == nil ? (files.isAskedFor ? .file : nil) : asked
        guard let earlier = earlier?.keyPlace.choice else { return wanted ?? .auto }
        guard wanted == nil || wanted == earlier else {
            throw CommandFailure.usage(
                "the account is signed in with a key that lives elsewhere (\(earlier.name)), and a key never moves",
                hint: "keybound logout first; the sign-in after that makes a new key where you want it"
            )
        }
        return earlier
    }

    /// In hardware where there is some, and else in a file, whose secret is asked for only then.
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
            (place, KeyPlace(place.choice.name, try device(place, account, path, arguments)))
        }
        let placements = MemoryKeyPlacementStore()
        let manager = KeyManager(
            hardware: devices.map(\.1),
            software: KeyPlace(KeyChoice.file.name, software),
            placements: placements
        )
        let alias = try alias(of: account)
        _ = try await manager.loadOrGenerate(alias: alias, algorithm: .es256) { event in
            guard event.kind == .fellBack, let error = event.error else { return }
            console.note("no key in \(event.place ?? "hardware"): \(error.reason); it lives in a file")
        }
        let chosen = try await placements.place(of: alias)
        if let device = devices.first(where: { $0.1.name == chosen }) {
            return try AccountKey(device.0, device.1.store, of: account)
        }
        return try AccountKey(filePlace, software, of: account)
    }

    /// Makes the key before anything else happens: a PIN that is wrong must cost nothing.
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
            // A new sign-in is what mends this: nothing that was bound to it can be used any more.
            console.note("the key that was there is lost, and a new one takes its place: \(error.reason)")
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
