// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A data-protection keychain in memory, and a login keychain beside it, of one device, with faults to inject. One test at a
/// time.
public enum FakeKeychain {
    public enum Lock: Sendable {
        case beforeFirstUnlock
        case locked
        case unlocked
    }

    public enum Operation: String, Sendable {
        case add
        case copy
        case update
        case delete
    }

    public struct Item: Sendable {
        /// Text as it is, flags as `true` and `false`.
        public var attributes: [String: String]
        public var data: Data
    }

    struct State {
        var items: [String: Item] = [:]
        var lock = Lock.unlocked
        var groups: [String] = ["TEAM.app", "TEAM.shared"]
        var failures: [Operation: OSStatus] = [:]
        var beforeAdd: (@Sendable () -> Void)?
        var operations: [Operation] = []
        var callsInTasks = 0
    }

    static let state = Mutex(State())

    public static func reset() { state.withLock { $0 = State() } }
    public static var items: [Item] { state.withLock { Array($0.items.values) } }
    public static var operations: [Operation] { state.withLock(\.operations) }
    /// How often the keychain was called on a thread that runs a task: one of the cooperative pool, mostly.
    public static var callsInTasks: Int { state.withLock(\.callsInTasks) }
    public static func setLock(_ lock: Lock) { state.withLock { $0.lock = lock } }
    /// The access groups of the app, the default first; none for a program without entitlements.
    public static func setGroups(_ groups: [String]) { state.withLock { $0.groups = groups } }
    /// What an operation answers from now on; `nil` to work.
    public static func fail(_ operation: Operation, _ status: OSStatus?) {
        state.withLock { $0.failures[operation] = status }
    }
    /// Runs once, before the next item is added.
    public static func beforeNextAdd(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.beforeAdd = body } }
    public static func change(_ body: @Sendable (inout Data) -> Void) {
        state.withLock { state in for key in state.items.keys { body(&state.items[key, default: .empty].data) } }
    }
    /// A backup of the device, restored to another one.
    public static func restoreToAnotherDevice() {
        state.withLock { state in
            state.items = state.items.filter { $0.value.attributes[kSecAttrAccessible]?.hasSuffix("u") == false }
        }
    }
}

extension FakeKeychain.Item {
    static let empty = FakeKeychain.Item(attributes: [:], data: Data())
}

extension FakeKeychain.State {
    /// Whether the device is in a state in which the item can be read.
    func isReadable(_ accessibility: String?) -> Bool {
        switch lock {
        case .unlocked: true
        case .locked: accessibility?.hasPrefix("c") == true
        case .beforeFirstUnlock: false
        }
    }

    /// What every call is judged by first.
    func refusal(_ query: [String: Any]) -> OSStatus? {
        if query[kSecUseDataProtectionKeychain] as? Bool == false {
            // The attributes of the other keychain mean nothing here.
            let foreign = [kSecAttrAccessible, kSecAttrAccessGroup, kSecAttrSynchronizable]
            return foreign.contains { query[$0] != nil } ? errSecParam : nil
        }
        guard !groups.isEmpty else { return errSecMissingEntitlement }
        if let group = query[kSecAttrAccessGroup] as? String, !groups.contains(group) {
            return errSecMissingEntitlement
        }
        guard query[kSecClass] as? String == kSecClassGenericPassword,
            query[kSecUseDataProtectionKeychain] as? Bool == true
        else { return errSecParam }
        return nil
    }

    func matches(_ query: [String: Any]) -> [String] {
        items.filter { item in
            [
                kSecAttrService, kSecAttrAccount, kSecAttrAccessGroup, kSecAttrSynchronizable,
                kSecUseDataProtectionKeychain,
            ].allSatisfy { name in
                query[name].map { FakeKeychain.text($0) == item.value.attributes[name] } ?? true
            }
        }
        .keys.sorted()
    }
}

extension FakeKeychain {
    static func text(_ value: Any) -> String { (value as? String) ?? (value as? Bool).map(String.init) ?? "" }

    static func dictionary(_ dictionary: CFDictionary) -> [String: Any] {
        Dictionary(uniqueKeysWithValues: dictionary.compactMap { key, value in (key as? String).map { ($0, value) } })
    }

    /// Notes a call; answers what it is to fail with.
    static func note(_ operation: Operation) -> OSStatus? {
        let isInTask = withUnsafeCurrentTask { $0 != nil }
        return state.withLock { state in
            state.operations.append(operation)
            state.callsInTasks += isInTask ? 1 : 0
            return state.failures[operation]
        }
    }
}
