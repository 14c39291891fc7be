// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
import Foundation
import Security

/// Generic passwords of one service in the data-protection keychain, or in the login keychain of macOS, by account name.
///
/// They are never synchronized, and those of the data-protection keychain readable only on this device. Every call may block while it asks the system's
/// keychain process.
package struct KeychainItems: Sendable {
    /// The attributes of an item.
    struct Attributes: Sendable {
        let accessibility: KeychainAccessibility?
        let accessGroup: String?
    }

    private let service: String
    private let accessGroup: String?
    /// `nil` for the login keychain, which has no such attribute.
    private let accessibility: KeychainAccessibility?

    /// Selects the items.
    ///
    /// - Parameters:
    ///   - service: The service of the items.
    ///   - accessGroup: The access group that apps and extensions share; `nil` for the first one of the app.
    ///   - accessibility: When new items can be read.
    package init(service: String, accessGroup: String?, accessibility: KeychainAccessibility) {
        self.service = service
        self.accessGroup = accessGroup
        self.accessibility = accessibility
    }

    /// Selects items of the login keychain, which programs without entitlements have too; on macOS only.
    ///
    /// - Parameter service: The service of the items.
    init(loginKeychainService service: String) {
        self.service = service
        accessGroup = nil
        accessibility = nil
    }

    /// Reads an item.
    ///
    /// - Parameter account: The name.
    /// - Returns: The value; `nil` if there is none.
    /// - Throws: ``KeyStoreError`` – ``KeyStoreError/Code/deviceLocked``, ``KeyStoreError/Code/missingEntitlement``,
    ///   ``KeyStoreError/Code/userCanceled``, ``KeyStoreError/Code/keyLost``, ``KeyStoreError/Code/storageFailed``.
    package func value(of account: String) throws(KeyStoreError) -> [UInt8]? {
        var query = query(for: account)
        query[kSecReturnData as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        guard let found = try copy(query) else { return nil }
        guard let value = found as? Data else {
            throw KeyStoreError(.storageFailed, "the Keychain answered something that is not an item")
        }
        return [UInt8](value)
    }

    /// Adds an item, unless one with that name exists: if several processes try, one succeeds.
    ///
    /// - Parameters:
    ///   - account: The name.
    ///   - value: The value to store.
    /// - Returns: `false` if an item with that name exists, which does not change.
    /// - Throws: ``KeyStoreError``, as ``value(of:)``.
    package func add(_ account: String, _ value: [UInt8]) throws(KeyStoreError) -> Bool {
        let item = query(for: account).merging(contents(value)) { _, new in new }
        switch SecItemAdd(item as CFDictionary, nil) {
        case errSecSuccess: return true
        case errSecDuplicateItem: return false
        case let status: throw KeyStoreError(keychain: status, "store an item")
        }
    }

    /// Replaces or adds an item in one step.
    ///
    /// - Parameters:
    ///   - account: The name.
    ///   - value: The value to store.
    /// - Throws: ``KeyStoreError``, as ``value(of:)``; the old value is then still stored.
    package func replace(_ account: String, _ value: [UInt8]) throws(KeyStoreError) {
        // Another process may add or delete it between the two calls.
        for _ in 0..<3 {
            switch SecItemUpdate(query(for: account) as CFDictionary, contents(value) as CFDictionary) {
            case errSecSuccess: return
            case errSecItemNotFound: if try add(account, value) { return }
            case let status: throw KeyStoreError(keychain: status, "replace an item")
            }
        }
        throw KeyStoreError(.storageFailed, "an item appears and disappears: another process deletes it")
    }

    /// Deletes an item, if it exists.
    ///
    /// - Parameter account: The name.
    /// - Throws: ``KeyStoreError``, as ``value(of:)``.
    package func delete(_ account: String) throws(KeyStoreError) {
        let status = SecItemDelete(query(for: account) as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else {
            throw KeyStoreError(keychain: status, "delete an item")
        }
    }

    /// The names of all items, unordered.
    func accounts() throws(KeyStoreError) -> [String] {
        var query = query(for: nil)
        query[kSecReturnAttributes as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitAll
        guard let found = try copy(query) else { return [] }
        guard let items = found as? [[String: Any]] else {
            throw KeyStoreError(.storageFailed, "the Keychain answered something that is not a list of items")
        }
        return items.compactMap { $0[kSecAttrAccount as String] as? String }
    }

    /// The attributes of an item; `nil` if there is none.
    func attributes(of account: String) throws(KeyStoreError) -> Attributes? {
        var query = query(for: account)
        query[kSecReturnAttributes as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        guard let found = try copy(query) else { return nil }
        guard let item = found as? [String: Any] else {
            throw KeyStoreError(.storageFailed, "the Keychain answered something that is not an item")
        }
        let accessible = item[kSecAttrAccessible as String] as? String
        return Attributes(
            accessibility: KeychainAccessibility.allCases.first { $0.attribute as String == accessible },
            accessGroup: item[kSecAttrAccessGroup as String] as? String
        )
    }

    private func copy(_ query: [String: Any]) throws(KeyStoreError) -> CFTypeRef? {
        var found: CFTypeRef?
        switch unsafe SecItemCopyMatching(query as CFDictionary, &found) {
        case errSecSuccess: return found
        case errSecItemNotFound: return nil
        case let status: throw KeyStoreError(keychain: status, "read an item")
        }
    }

    /// The query for one item, or for all of them.
    ///
    /// On macOS only the data-protection keychain supports accessibility and groups.
    private func query(for account: String?) -> [String: Any] {
        var query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecUseDataProtectionKeychain as String: accessibility != nil,
        ]
        // Its mere presence means the data-protection keychain on some systems.
        if accessibility != nil { query[kSecAttrSynchronizable as String] = false }
        if let account { query[kSecAttrAccount as String] = account }
        if let accessGroup { query[kSecAttrAccessGroup as String] = accessGroup }
        return query
    }

    /// Always includes the accessibility, where there is one: without it, a backup moves the item to other devices.
    private func contents(_ value: [UInt8]) -> [String: Any] {
        var contents: [String: Any] = [kSecValueData as String: Data(value)]
        if let accessibility { contents[kSecAttrAccessible as String] = accessibility.attribute }
        return contents
    }
}
#endif
