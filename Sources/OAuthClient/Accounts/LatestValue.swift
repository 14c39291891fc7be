// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A value that listeners follow: each begins with the newest one, and may miss older ones.
final class LatestValue<Value: Sendable & Equatable>: Sendable {
    private struct State {
        var value: Value
        var nextNumber: UInt64 = 0
        var continuations: [UInt64: AsyncStream<Value>.Continuation] = [:]
    }

    private let state: Mutex<State>

    init(_ value: Value) {
        state = Mutex(State(value: value))
    }

    deinit {
        for continuation in state.withLock({ Array($0.continuations.values) }) { continuation.finish() }
    }

    /// Sets the value; listeners hear of it if it is another one.
    func set(_ value: Value) {
        let continuations = state.withLock { state -> [AsyncStream<Value>.Continuation] in
            guard state.value != value else { return [] }
            state.value = value
            return Array(state.continuations.values)
        }
        // Outside the lock: yielding may end a continuation, which then takes the lock.
        for continuation in continuations { continuation.yield(value) }
    }

    var value: Value { state.withLock { $0.value } }

    func stream() -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.nextNumber += 1
            state.continuations[state.nextNumber] = continuation
            // Within the lock, so that no newer value is overtaken; nobody listens yet who could end it.
            continuation.yield(state.value)
            return state.nextNumber
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.continuations.removeValue(forKey: number) }
        }
        return stream
    }
}
