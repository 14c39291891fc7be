// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthCrypto
import OAuthSystem

/// The Secret Service item with the credential of a key directory.
///
/// Every call blocks, and none prompts the user: the contents of a locked keyring are unavailable. The session uses the
/// algorithm `plain`, because only programs of the same user can connect to the bus, and those can also request the
/// item. libdbus keeps a copy of messages for some time, which cannot be wiped.
struct SecretServiceItem: KeyringItem {
    private static let service = "org.freedesktop.secrets"
    private static let servicePath = "/org/freedesktop/secrets"
    private static let interface = "org.freedesktop.Secret."
    private static let contentType = "application/octet-stream"
    /// The path that means no object.
    private static let none = "/"

    /// The address of the bus; `nil` for that of the desktop.
    let address: String?
    /// The name that identifies the item.
    let name: String

    /// The credential; `nil` if an unlocked keyring does not have it.
    func credential() throws(KeyStoreError) -> KeyFileSecret? {
        let connection = try connect()
        return try credential(connection)
    }

    /// Makes and stores a credential; the caller has ensured that there is none and that no other process makes one.
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
        // Encrypt keys only with a credential that can be read back.
        guard let kept = try credential(connection), kept.bytes.withArray({ ConstantTime.areEqual($0, bytes) }) else {
            throw KeyStoreError(.deviceFailed, "the Secret Service does not have what was given to it")
        }
        return kept
    }

    /// Deletes the credential, if it exists.
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
            // Some services do not list locked items: only an unlocked keyring proves that there is none.
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
