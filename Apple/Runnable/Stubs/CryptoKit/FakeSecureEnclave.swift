// SPDX-License-Identifier: Apache-2.0

import Foundation
import OAuthCrypto
import OAuthSystem
public import StandInSecurity
import Synchronization

/// The enclave of one device, with faults to inject. One test at a time.
public enum FakeSecureEnclave {
    public enum Operation: Sendable {
        case create
        case open
        case sign
    }

    public struct Creation: Sendable {
        public let protection: String
        public let flags: SecAccessControlCreateFlags
    }

    /// A key that is open: there are few places for them.
    final class Handle {
        let key: P256PrivateKey
        let flags: SecAccessControlCreateFlags

        init(_ key: P256PrivateKey, _ flags: SecAccessControlCreateFlags) {
            self.key = key
            self.flags = flags
            FakeSecureEnclave.state.withLock { $0.openKeys += 1 }
        }

        deinit {
            FakeSecureEnclave.state.withLock { $0.openKeys -= 1 }
        }
    }

    private struct State {
        var isAvailable = true
        var failures: [Operation: any Error] = [:]
        var secret = SystemRandom.bytes(32)
        var creations: [Creation] = []
        var openKeys = 0
        var callsInTasks = 0
    }

    private static let state = Mutex(State())

    public static func reset() { state.withLock { $0 = State() } }
    public static var isAvailable: Bool { state.withLock(\.isAvailable) }
    public static var creations: [Creation] { state.withLock(\.creations) }
    public static var openKeys: Int { state.withLock(\.openKeys) }
    /// How often the enclave was called on a thread that runs a task.
    public static var callsInTasks: Int { state.withLock(\.callsInTasks) }
    public static func setAvailable(_ isAvailable: Bool) { state.withLock { $0.isAvailable = isAvailable } }
    /// What an operation throws from now on; `nil` to work.
    public static func fail(_ operation: Operation, _ error: (any Error & Sendable)?) {
        state.withLock { $0.failures[operation] = error }
    }
    /// Another enclave, which cannot open what the one before wrapped.
    public static func moveToAnotherDevice() { state.withLock { $0.secret = SystemRandom.bytes(32) } }

    static func check(_ operation: Operation) throws {
        let isInTask = withUnsafeCurrentTask { $0 != nil }
        let (isAvailable, failure) = state.withLock { state in
            state.callsInTasks += isInTask ? 1 : 0
            return (state.isAvailable, state.failures[operation].map(Failure.init))
        }
        if let failure { throw failure.error }
        guard isAvailable else { throw CryptoKitError.underlyingCoreCryptoError(error: -536_870_174) }
    }

    /// Errors are Sendable, which Swift 6.3 forgets in a tuple.
    private struct Failure: Sendable {
        let error: any Error
    }

    static func noteCreation(_ protection: String, _ flags: SecAccessControlCreateFlags) {
        state.withLock { $0.creations.append(Creation(protection: protection, flags: flags)) }
    }

    static func wrap(_ key: P256PrivateKey, _ flags: SecAccessControlCreateFlags) throws -> Data {
        let nonce = SystemRandom.bytes(12)
        let head = withUnsafeBytes(of: UInt64(flags.rawValue).bigEndian) { [UInt8]($0) }
        let sealed = try AES256GCM.seal(
            key.rawRepresentation,
            key: state.withLock(\.secret),
            nonce: nonce,
            authenticating: head
        )
        return Data(head + nonce + sealed)
    }

    static func unwrap(_ data: Data) throws -> (P256PrivateKey, SecAccessControlCreateFlags) {
        let bytes = [UInt8](data)
        guard bytes.count > 20 else { throw CryptoKitError.incorrectParameterSize }
        let head = Array(bytes[..<8])
        guard
            let scalar = try? AES256GCM.open(
                Array(bytes[20...]),
                key: state.withLock(\.secret),
                nonce: Array(bytes[8..<20]),
                authenticating: head
            )
        else { throw CryptoKitError.authenticationFailure }
        let flags = head.reduce(UInt(0)) { $0 << 8 | UInt($1) }
        return (try P256PrivateKey(rawRepresentation: scalar), SecAccessControlCreateFlags(rawValue: flags))
    }
}
