// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import ServerStorage
import Synchronization

/// Tells a load balancer whether this server is alive, and whether it should receive requests.
final class Readiness: Sendable {
    private let storage: any AuthorizationStorage
    private let isAway: @Sendable () -> Bool
    private let clocks: ClockComparison
    private let engine: AuthorizationEngine
    private let isDraining = Atomic<Bool>(false)

    init(
        _ storage: any AuthorizationStorage,
        isAway: @escaping @Sendable () -> Bool,
        _ clocks: ClockComparison,
        _ engine: AuthorizationEngine
    ) {
        (self.storage, self.isAway, self.clocks, self.engine) = (storage, isAway, clocks, engine)
    }

    /// Makes the server report that it is not ready.
    func drain() {
        isDraining.store(true, ordering: .relaxed)
    }

    /// The response of `/health` and `/ready`; `nil` for any other path.
    func answer(_ request: HTTPRequest) async -> HTTPResponse? {
        switch request.path {
        case "/health": Self.response(request, problem: nil)
        case "/ready": Self.response(request, problem: await problem())
        default: nil
        }
    }

    /// A running server has loaded its keys, but a device may have been removed since.
    private func problem() async -> String? {
        if isDraining.load(ordering: .relaxed) { return "the server is stopping" }
        if engine.signingProblem != nil { return "the keys that sign tokens cannot be used" }
        if let problem = clocks.problem { return problem }
        do {
            _ = try await storage.client("")
            // Reads may work again a moment before writes do.
            return isAway() ? "the storage does not respond" : nil
        } catch {
            return "the storage does not respond"
        }
    }

    private static func response(_ request: HTTPRequest, problem: String?) -> HTTPResponse {
        var response = HTTPResponse(
            status: problem == nil ? 200 : 503,
            fields: ["Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"],
            body: Array(((problem ?? "ok") + "\n").utf8)
        )
        if request.method != "GET", request.method != "HEAD" {
            response.status = 405
            response.fields["Allow"] = "GET, HEAD"
        }
        return response
    }
}
