// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import OAuthSystem
import ServerStorage
import SigningKeys

/// Where the signing keys are: in the database, or in a PKCS #11 token.
struct SigningKeyProviderSettings: Sendable {
    /// Where new keys are created.
    let place: any SigningKeyProvider
    /// How keys in the database are protected; `nil` when all keys are in a token.
    let stored: KeyProtectionSettings?
    /// The location of new keys in words.
    private let description: String

    private static let databaseName = "database"
    private static let pinCredential = "keybound-pin"

    init(_ settings: ServerSettings) throws {
        guard let uri = try Self.uri(settings) else {
            let protection = try KeyProtectionSettings(settings)
            (place, stored) = (DatabaseSigningKeys(protection.sealer), protection)
            description = protection.description
            return
        }
        let store = try PKCS11KeyStore(
            uri,
            pin: Self.pin(settings, uri),
            lockDirectory: Self.lockDirectory(ServerPaths(settings))
        )
        stored = try KeyProtectionSettings(ifGiven: settings)
        place = DeviceSigningKeys(store, earlier: stored?.sealer)
        description = "in the PKCS #11 token of \(uri.token)"
    }

    /// The lock of the token that a service shares with the commands of its operator; `nil` for that of the user.
    ///
    /// It is beside the database, or beside the keys if that is not a file: a service has a `/tmp` of its own, and sees no
    /// `/run/user`. Another user could not take this lock, and has no access to the service's files.
    private static func lockDirectory(_ places: ServerPaths) -> String? {
        let parent = DoctorPaths.parent(of: places.isDatabaseShared ? places.keyDirectory : places.database)
        return ProcessFacts.owns(parent) ? parent + "/pkcs11-lock" : nil
    }

    /// Where the key is that signs now, in words: after a move to a token that of the database still signs for a while.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - end: When the next key takes its place; `nil` if that is not known.
    /// - Returns: The words.
    func description(of key: StoredSigningKey, until end: Timestamp?) -> String {
        guard let stored, place is DeviceSigningKeys else { return description }
        guard SigningKeyReference(key.wrappedKey) == nil else {
            return "\(description); earlier keys \(stored.description)"
        }
        let time = end.map { "until \(TimeText.text(of: $0))" } ?? "for now"
        return "in the database \(time), \(stored.description); the next key is \(description)"
    }

    /// Checks the settings; opens nothing.
    ///
    /// - Returns: Whether they are complete; if not, systemd has to provide the credential.
    static func check(_ settings: ServerSettings) throws -> Bool {
        let saysHowEncrypted = try KeyProtectionSettings.check(settings)
        guard let uri = try uri(settings) else { return saysHowEncrypted }
        try requireOnePIN(settings, uri)
        return true
    }

    /// The token; `nil` for the database.
    private static func uri(_ settings: ServerSettings) throws -> PKCS11URI? {
        guard let text = settings.text(.signingKeys), text != databaseName else {
            for setting in [Setting.signingKeysPINFile, .signingKeysPINDescriptor, .signingKeysPINCredential]
            where settings.text(setting) != nil {
                throw CommandFailure.usage(
                    "\(settings.place(of: setting)) is for keys in a token, and they are in the database",
                    hint: "--signing-keys pkcs11:token=NAME?module-path=FILE"
                )
            }
            return nil
        }
        let place = settings.place(of: .signingKeys)
        let uri: PKCS11URI
        do throws(KeyStoreError) {
            uri = try PKCS11URI(text)
        } catch {
            throw CommandFailure.usage(
                "\(place) is neither database nor the URI of a PKCS #11 token: \(error.reason)",
                hint: "pkcs11:token=NAME?module-path=FILE"
            )
        }
        guard uri.object == nil, uri.id == nil else {
            throw CommandFailure.usage("\(place) names a key: the server creates its own keys", hint: "leave it out")
        }
        guard uri.modulePath != nil else {
            throw CommandFailure.usage("\(place) names no module", hint: "add ?module-path=FILE to it")
        }
        return uri
    }

    private static func requireOnePIN(_ settings: ServerSettings, _ uri: PKCS11URI) throws {
        let given = [Setting.signingKeysPINFile, .signingKeysPINDescriptor, .signingKeysPINCredential]
            .filter { settings.text($0) != nil }
        let inURI = uri.pinFile == nil ? [] : ["pin-source of \(settings.place(of: .signingKeys))"]
        let places = given.map(settings.place) + inURI
        guard places.count <= 1 else {
            throw CommandFailure.usage(
                "\(places.joined(separator: " and ")) exclude each other",
                hint: "keep one of them"
            )
        }
    }

    /// Where the PIN comes from.
    ///
    /// A file is read whenever the token needs the PIN, for instance after it was reinserted.
    private static func pin(_ settings: ServerSettings, _ uri: PKCS11URI) throws -> PKCS11PIN {
        try requireOnePIN(settings, uri)
        if let path = settings.text(.signingKeysPINFile) ?? uri.pinFile { return .file(path) }
        if let text = settings.text(.signingKeysPINDescriptor) {
            let name = settings.place(of: .signingKeysPINDescriptor)
            return try .descriptor(InheritedDescriptor.number(text, named: name))
        }
        let directory = ProcessEnvironment.value("CREDENTIALS_DIRECTORY")
        if let name = settings.text(.signingKeysPINCredential) {
            guard let directory else {
                throw CommandFailure.usage(
                    "\(settings.place(of: .signingKeysPINCredential)) is set, but there is no $CREDENTIALS_DIRECTORY",
                    hint: "systemd sets it: LoadCredentialEncrypted=\(name) in the unit"
                )
            }
            return .file(directory + "/" + name)
        }
        if let path = directory.map({ "\($0)/\(pinCredential)" }), PrivateFile.exists(path) { return .file(path) }
        return .none
    }
}
#endif
