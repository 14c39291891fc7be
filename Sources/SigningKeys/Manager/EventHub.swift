// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Hands events to everyone who listens.
package final class EventHub<Event: Sendable>: Sendable {
    private struct Listeners {
        var nextNumber: UInt64 = 0
        var continuations: [UInt64: AsyncStream<Event>.Continuation] = [:]
    }

    /// Whoever does not read for long gets the newest of this many.
    private static var bufferSize: Int { 64 }

    private let listeners = Mutex(Listeners())

    /// Makes a hub that nobody listens to.
    package init() {}

    deinit {
        // Outside the lock, as below.
        for continuation in listeners.withLock({ Array($0.continuations.values) }) { continuation.finish() }
    }

    /// What happens from now on.
    ///
    /// - Returns: A stream that ends with the hub; who does not read keeps the newest 64 events.
    package func stream() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Event.self,
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

    /// Tells everyone.
    ///
    /// - Parameter event: What happened.
    package func send(_ event: Event) {
        // Outside the lock: a continuation may end, and then asks for it.
        for continuation in listeners.withLock({ Array($0.continuations.values) }) { continuation.yield(event) }
    }

    private func remove(_ number: UInt64) {
        _ = listeners.withLock { $0.continuations.removeValue(forKey: number) }
    }
}
