// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Synchronization

/// Something without which a gateway passes no request, or none of an issuer, and which may be away for a while.
final class GatewayDependency: Sendable {
    /// What it is, as the subject of "cannot be reached".
    let name: String
    /// The issuer whose keys these are; `nil` for something else.
    let issuer: String?
    /// What happens while it is away.
    private let effect: String
    private let look: @Sendable () async throws -> Void
    private let interval: Duration
    private let isThere = Atomic<Bool>(false)

    /// While it is away, requests get 503.
    private static let retryInterval: Duration = .seconds(1)

    /// - Parameters:
    ///   - name: What it is.
    ///   - issuer: The issuer whose keys these are.
    ///   - effect: What happens while it is away.
    ///   - interval: How often it is looked at while it is there.
    ///   - look: Throws if it is away.
    init(
        _ name: String,
        of issuer: String? = nil,
        effect: String = "requests get 503",
        every interval: Duration,
        look: @escaping @Sendable () async throws -> Void
    ) {
        self.name = name
        self.issuer = issuer
        self.effect = effect
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
                log.warn("\(name) cannot be reached, \(effect): \(SafeText.of(reason))")
            }
            if isThere, wasThere == false { log.notice("\(name): here again") }
            wasThere = isThere
            try? await Task.sleep(for: isThere ? interval : Self.retryInterval)
        }
    }
}
#endif
