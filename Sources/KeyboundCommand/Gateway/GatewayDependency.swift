// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Synchronization

/// Something without which a gateway passes no request, and which may be away for a while.
final class GatewayDependency: Sendable {
    /// What it is, as the subject of "cannot be reached".
    let name: String
    private let look: @Sendable () async throws -> Void
    private let interval: Duration
    private let isThere = Atomic<Bool>(false)

    /// While it is away, every request gets 503.
    private static let retryInterval: Duration = .seconds(1)

    /// - Parameters:
    ///   - name: What it is.
    ///   - interval: How often it is looked at while it is there.
    ///   - look: Throws if it is away.
    init(_ name: String, every interval: Duration, look: @escaping @Sendable () async throws -> Void) {
        self.name = name
        self.interval = interval
        self.look = look
    }

    var isAway: Bool { !isThere.load(ordering: .relaxed) }

    /// Looks at it until the task is cancelled, and logs when it goes and comes.
    func watch(_ log: ServerLog) async {
        var wasThere: Bool?
        while !Task.isCancelled {
            var failure: (any Error)?
            do { try await look() } catch { failure = error }
            let isThere = failure == nil
            self.isThere.store(isThere, ordering: .relaxed)
            if let failure, wasThere ?? true {
                let reason = CommandFailure(describing: failure).message
                log.warn("\(name) cannot be reached, requests get 503: \(SafeText.of(reason))")
            }
            if isThere, wasThere == false { log.notice("\(name): here again") }
            wasThere = isThere
            try? await Task.sleep(for: isThere ? interval : Self.retryInterval)
        }
    }
}
#endif
