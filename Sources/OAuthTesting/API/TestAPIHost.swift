// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import OAuthCore
import ResourceServer
import Synchronization

/// Holds the guard and the routes of an API.
final class TestAPIHost: FakeHost {
    struct Route: Sendable {
        let needed: Scope
        let handler: FakeResourceServer.Handler
    }

    private struct RouteKey: Hashable {
        let method: String
        let path: String
    }

    private struct State {
        var requestGuard: RequestGuard
        var routes: [RouteKey: Route] = [:]
        var accepted = 0
        var refused = 0
    }

    let faults = FaultPlan()
    private let configuration: GuardConfiguration
    private let keys: TestServerHost
    private let replay = MemoryReplayStore()
    private let clock: TestClock
    private let entropy: DeterministicEntropy
    private let state: Mutex<State>

    init(_ configuration: GuardConfiguration, for server: FakeAuthorizationServer) throws {
        self.configuration = configuration
        keys = server.room
        clock = server.clock
        entropy = server.entropy.separate("API \(configuration.address)")
        state = Mutex(State(requestGuard: try Self.requestGuard(configuration, keys, replay, clock, entropy)))
    }

    var accepted: Int { state.withLock { $0.accepted } }
    var refused: Int { state.withLock { $0.refused } }

    func add(_ route: Route, for method: String, _ path: String) {
        state.withLock { $0.routes[RouteKey(method: method, path: path)] = route }
    }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let key = RouteKey(method: request.method, path: String(request.path))
        let (requestGuard, route) = state.withLock { ($0.requestGuard, $0.routes[key]) }
        guard let route else { return HTTPResponse(status: 404) }
        switch await requestGuard.check(request, for: GuardRequirement(scope: route.needed)) {
        case .rejected(let rejection):
            state.withLock { $0.refused += 1 }
            return rejection.response
        case .accepted(let authorized):
            state.withLock { $0.accepted += 1 }
            var response = await route.handler(request, authorized)
            for field in authorized.responseFields.all { response.fields.append(name: field.name, value: field.value) }
            return response
        }
    }

    func replaceNonceSecret() throws {
        let renewed = try Self.requestGuard(configuration, keys, replay, clock, entropy)
        state.withLock { $0.requestGuard = renewed }
    }

    private static func requestGuard(
        _ configuration: GuardConfiguration,
        _ keys: TestServerHost,
        _ replay: MemoryReplayStore,
        _ clock: TestClock,
        _ entropy: DeterministicEntropy
    ) throws -> RequestGuard {
        try RequestGuard(
            configuration: configuration,
            keys: keys,
            replay: replay,
            nonceSecrets: [DPoPNonceSecret(entropy: entropy)],
            clock: clock,
            entropy: entropy
        )
    }
}
