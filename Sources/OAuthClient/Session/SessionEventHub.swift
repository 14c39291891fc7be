// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Hands the events of an account to everyone who listens.
final class SessionEventHub: Sendable {
    private struct Listeners {
        var nextNumber: UInt64 = 0
        var continuations: [UInt64: AsyncStream<SessionEvent>.Continuation] = [:]
    }

    /// Whoever does not read for long gets the newest of this many.
    private static let bufferSize = 64

    private let listeners = Mutex(Listeners())

    deinit {
        // Outside the lock, as below.
        for continuation in listeners.withLock({ Array($0.continuations.values) }) { continuation.finish() }
    }

    func stream() -> AsyncStream<SessionEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SessionEvent.self,
            bufferingPolicy: .bufferingNewest(Self.bufferSize)
        )
        let number = listeners.withLock { listeners in
            listeners.nextNumber += 1
            listeners.continuations[listeners.nextNumber] = continuation
            return listeners.nextNumber
        }
        continuation.onTermination = { [weak self] _ in
            self?.remove(number)
        }
        return stream
    }

    func send(_ event: SessionEvent) {
        // Outside the lock: a continuation may end, and then asks for it.
        for continuation in listeners.withLock({ Array($0.continuations.values) }) { continuation.yield(event) }
    }

    private func remove(_ number: UInt64) {
        _ = listeners.withLock { $0.continuations.removeValue(forKey: number) }
    }
}
