// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Broadcasts events to all listeners.
package final class EventBroadcaster<Event: Sendable>: Sendable {
    private struct Listeners {
        var nextNumber: UInt64 = 0
        var continuations: [UInt64: AsyncStream<Event>.Continuation] = [:]
    }

    /// A slow listener keeps the newest events, this many.
    private static var bufferSize: Int { 64 }

    private let listeners = Mutex(Listeners())
    private let observer: (@Sendable (Event) -> Void)?

    /// Makes a broadcaster without listeners.
    ///
    /// - Parameter observer: Gets each event at once, on the thread that sends it.
    package init(observer: (@Sendable (Event) -> Void)? = nil) {
        self.observer = observer
    }

    deinit {
        // Outside the lock, as below.
        for continuation in listeners.withLock({ Array($0.continuations.values) }) { continuation.finish() }
    }

    /// The events from now on.
    ///
    /// - Returns: A stream that ends with the broadcaster; a slow reader keeps the newest 64 events.
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

    /// Sends an event to all listeners.
    ///
    /// - Parameter event: The event.
    package func send(_ event: Event) {
        observer?(event)
        // Outside the lock: yielding may end a continuation, which then takes the lock.
        for continuation in listeners.withLock({ Array($0.continuations.values) }) { continuation.yield(event) }
    }

    private func remove(_ number: UInt64) {
        _ = listeners.withLock { $0.continuations.removeValue(forKey: number) }
    }
}
