// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthCrypto
import OAuthSystem

/// The item of the Secret Service in which the credential of a directory of keys is kept.
///
/// Every call blocks. Nobody is ever prompted: what a locked keyring has is locked. The session is of the algorithm `plain`,
/// since the bus is a socket that only programs of the same user can use, and they can ask for the item too. libdbus keeps a copy
/// of what it sent and received for a while, which nobody can wipe.
struct SecretServiceItem: Sendable {
    private static let service = "org.freedesktop.secrets"
    private static let servicePath = "/org/freedesktop/secrets"
    private static let interface = "org.freedesktop.Secret."
    private static let contentType = "application/octet-stream"
    /// The path that stands for no object.
    private static let none = "/"

    /// The address of the bus; `nil` for that of the desktop.
    let address: String?
    /// What tells the item from others.
    let name: String

    /// The credential; `nil` when an unlocked keyring does not have it.
    func credential() throws(KeyStoreError) -> KeyFileSecret? {
        let connection = try connect()
        return try credential(connection)
    }

    /// Makes a credential and keeps it; the caller knows that there is none, and that nobody else makes one.
    func makeCredential() throws(KeyStoreError) -> KeyFileSecret {
        let connection = try connect()
        let collection = try unlockedCollection(connection)
        let session = try session(connection)
        var bytes = SystemRandom.bytes(KeyFileSecret.credentialCount)
        defer { SecretMemory.wipe(&bytes) }
        let properties = DBusValue.array(
            "{sv}",
            [
                .entry(.string(Self.interface + "Item.Label"), .variant(.string("Keys of \(name)"))),
                .entry(.string(Self.interface + "Item.Attributes"), .variant(attributes)),
            ]
        )
        let secret = DBusValue.structure([
            .objectPath(session), .bytes(SecretBytes(copying: [])), .bytes(SecretBytes(copying: bytes)),
            .string(Self.contentType),
        ])
        let answer = try connection.call(
            Self.service,
            collection,
            Self.interface + "Collection",
            "CreateItem",
            [properties, secret, .boolean(false)]
        )
        guard let item = answer.first?.path, item != Self.none else { throw Self.locked }
        // Only what can be read again is good to encrypt keys with.
        guard let kept = try credential(connection), kept.bytes.withArray({ ConstantTime.areEqual($0, bytes) }) else {
            throw KeyStoreError(.deviceFailed, "the Secret Service does not have what was given to it")
        }
        return kept
    }

    /// Deletes the credential, if there is one.
    func delete() throws(KeyStoreError) {
        let connection = try connect()
        for item in try items(connection).unlocked {
            _ = try connection.call(Self.service, item, Self.interface + "Item", "Delete")
        }
    }

    private func connect() throws(KeyStoreError) -> DBusConnection {
        guard let address = address ?? SessionBus.address() else {
            throw KeyStoreError(.deviceUnavailable, "there is no desktop here whose Secret Service could keep a secret")
        }
        return try DBusConnection(address)
    }

    private var attributes: DBusValue {
        .texts(["xdg:schema": "org.keybound.KeyFiles", "keys": name])
    }

    private func credential(_ connection: DBusConnection) throws(KeyStoreError) -> KeyFileSecret? {
        let items = try items(connection)
        guard let item = items.unlocked.first else {
            guard items.locked.isEmpty else { throw Self.locked }
            // Some services do not list what is locked: only an unlocked keyring can be said not to have it.
            _ = try unlockedCollection(connection)
            return nil
        }
        guard items.unlocked.count == 1 else {
            throw KeyStoreError(
                .deviceFailed,
                "the keyring has \(items.unlocked.count) secrets for \(name), and not one"
            )
        }
        let session = try session(connection)
        let answer = try connection.call(
            Self.service,
            item,
            Self.interface + "Item",
            "GetSecret",
            [.objectPath(session)]
        )
        guard case .structure(let parts) = answer.first, parts.count == 4, case .bytes(let bytes) = parts[2] else {
            throw Self.malformed
        }
        guard bytes.count == KeyFileSecret.credentialCount else {
            throw KeyStoreError(
                .keyLost,
                "the keyring has something else in the place of what opens the keys: sign in again"
            )
        }
        return bytes.withArray { .credential($0) }
    }

    private func items(
        _ connection: DBusConnection
    ) throws(KeyStoreError) -> (unlocked: [String], locked: [String]) {
        let answer = try callService(connection, "SearchItems", [attributes])
        guard answer.count == 2, let unlocked = answer[0].paths, let locked = answer[1].paths else {
            throw Self.malformed
        }
        return (unlocked, locked)
    }

    private func session(_ connection: DBusConnection) throws(KeyStoreError) -> String {
        let answer = try callService(connection, "OpenSession", [.string("plain"), .variant(.string(""))])
        guard answer.count == 2, let session = answer[1].path else { throw Self.malformed }
        return session
    }

    /// The keyring for new secrets, unlocked.
    private func unlockedCollection(_ connection: DBusConnection) throws(KeyStoreError) -> String {
        guard let collection = try callService(connection, "ReadAlias", [.string("default")]).first?.path else {
            throw Self.malformed
        }
        guard collection != Self.none else {
            throw KeyStoreError(.deviceUnavailable, "the Secret Service of the desktop has no keyring now")
        }
        let answer = try connection.call(
            Self.service,
            collection,
            "org.freedesktop.DBus.Properties",
            "Get",
            [.string(Self.interface + "Collection"), .string("Locked")]
        )
        guard case .variant(.boolean(let isLocked)) = answer.first else { throw Self.malformed }
        if isLocked { throw Self.locked }
        return collection
    }

    private func callService(
        _ connection: DBusConnection,
        _ method: String,
        _ arguments: [DBusValue]
    ) throws(KeyStoreError) -> [DBusValue] {
        try connection.call(Self.service, Self.servicePath, Self.interface + "Service", method, arguments)
    }

    private static var locked: KeyStoreError {
        KeyStoreError(.deviceLocked, "the keyring of the desktop is locked: unlock it, then try again")
    }

    private static var malformed: KeyStoreError {
        KeyStoreError(.deviceFailed, "the Secret Service answered something else than was asked for")
    }
}
#endif
