// SPDX-License-Identifier: Apache-2.0

import Foundation

public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    if let status = FakeKeychain.note(.add) { return status }
    FakeKeychain.state.withLock { $0.beforeAdd.take() }?()
    var attributes = FakeKeychain.dictionary(attributes)
    guard let data = attributes.removeValue(forKey: kSecValueData) as? Data else { return errSecParam }
    let query = attributes
    var texts = attributes.mapValues(FakeKeychain.text)
    // What Apple's keychain does without being told: it migrates.
    texts[kSecAttrAccessible] = texts[kSecAttrAccessible] ?? kSecAttrAccessibleWhenUnlocked
    let item = FakeKeychain.Item(attributes: texts, data: data)
    return add(item, refusal: FakeKeychain.state.withLock { state in state.refusal(query) })
}

private func add(_ item: FakeKeychain.Item, refusal: OSStatus?) -> OSStatus {
    if let refusal { return refusal }
    return FakeKeychain.state.withLock { state in
        var item = item
        item.attributes[kSecAttrAccessGroup] = item.attributes[kSecAttrAccessGroup] ?? state.groups.first
        guard state.isReadable(item.attributes[kSecAttrAccessible]) else { return errSecInteractionNotAllowed }
        let key = [
            kSecAttrAccessGroup, kSecAttrService, kSecAttrAccount, kSecAttrSynchronizable,
            kSecUseDataProtectionKeychain,
        ]
        .map { item.attributes[$0] ?? "" }.joined(separator: "|")
        guard state.items[key] == nil else { return errSecDuplicateItem }
        state.items[key] = item
        return errSecSuccess
    }
}

public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    if let status = FakeKeychain.note(.copy) { return status }
    let query = FakeKeychain.dictionary(query)
    let (status, found) = FakeKeychain.find(query)
    guard status == errSecSuccess else { return status }
    if query[kSecReturnData] as? Bool == true {
        result?.pointee = found.first.map { $0.data as AnyObject }
    } else if query[kSecMatchLimit] as? String == kSecMatchLimitAll {
        result?.pointee = found.map { $0.attributes as [String: Any] } as AnyObject
    } else if query[kSecReturnAttributes] as? Bool == true {
        result?.pointee = found.first.map { ($0.attributes as [String: Any]) as AnyObject }
    }
    return errSecSuccess
}

public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    if let status = FakeKeychain.note(.update) { return status }
    let (status, found) = FakeKeychain.find(FakeKeychain.dictionary(query))
    guard status == errSecSuccess else { return status }
    let changes = FakeKeychain.dictionary(attributesToUpdate)
    let (data, accessibility) = (changes[kSecValueData] as? Data, changes[kSecAttrAccessible] as? String)
    FakeKeychain.state.withLock { state in
        for (key, item) in state.items where found.contains(where: { $0.attributes == item.attributes }) {
            if let data { state.items[key]?.data = data }
            if let accessibility { state.items[key]?.attributes[kSecAttrAccessible] = accessibility }
        }
    }
    return errSecSuccess
}

public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    if let status = FakeKeychain.note(.delete) { return status }
    let query = FakeKeychain.dictionary(query)
    let (refusal, keys) = FakeKeychain.state.withLock { state in (state.refusal(query), state.matches(query)) }
    if let refusal { return refusal }
    FakeKeychain.state.withLock { state in for key in keys { state.items[key] = nil } }
    return keys.isEmpty ? errSecItemNotFound : errSecSuccess
}

extension FakeKeychain {
    /// The items that a query names, or why there are none.
    static func find(_ query: [String: Any]) -> (OSStatus, [Item]) {
        state.withLock { state in
            if let refusal = state.refusal(query) { return (refusal, []) }
            let found = state.matches(query).compactMap { state.items[$0] }
            guard !found.isEmpty else { return (errSecItemNotFound, []) }
            guard found.allSatisfy({ state.isReadable($0.attributes[kSecAttrAccessible]) }) else {
                return (errSecInteractionNotAllowed, [])
            }
            return (errSecSuccess, found)
        }
    }
}
