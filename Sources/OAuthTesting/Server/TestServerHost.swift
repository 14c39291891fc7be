// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import DPoP
import HTTPMessage
import JOSE
import OAuthCore
import Synchronization

/// Holds the engine of a server, and rebuilds it when a real server would be restarted with other secrets.
final class TestServerHost: FakeHost, JWKSetSource {
    private struct State {
        var engine: AuthorizationEngine
        var signingKey: SoftwareSigningKey
        var keyCount = 1
        var nonceSecret: DPoPNonceSecret
        var refusesNextConsent = false
    }

    let parts: ServerState
    let faults = FaultPlan()
    private let consentPath: String
    private let state: Mutex<State>

    init(_ parts: ServerState) throws {
        self.parts = parts
        consentPath = parts.configuration.issuer.path + "/consent"
        let (key, secret) = (try parts.signingKey(1), parts.nonceSecret())
        state = Mutex(State(engine: try parts.engine(key, secret), signingKey: key, nonceSecret: secret))
    }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let request = refusingConsent(request)
        return await state.withLock(\.engine).respond(to: request)
    }

    /// The current keys: no cache keeps those that were replaced.
    func keySet(forKeyID keyID: String?) async throws(OAuthCoreError) -> JWKSet {
        state.withLock(\.engine).keySet
    }

    /// The key that signs access tokens now.
    var signingKey: SoftwareSigningKey { state.withLock(\.signingKey) }

    func replaceNonceSecret() throws {
        let secret = parts.nonceSecret()
        try state.withLock { state in
            state.engine = try parts.engine(state.signingKey, secret)
            state.nonceSecret = secret
        }
    }

    func replaceSigningKey() throws {
        try state.withLock { state in
            let key = try parts.signingKey(state.keyCount + 1)
            state.engine = try parts.engine(key, state.nonceSecret)
            state.signingKey = key
            state.keyCount += 1
        }
    }

    /// The next "Allow" of a user arrives as "Deny".
    func refuseNextConsent() {
        state.withLock { $0.refusesNextConsent = true }
    }

    private func refusingConsent(_ request: HTTPRequest) -> HTTPRequest {
        guard request.method == "POST", request.path == consentPath,
            let form = try? FormParameters(decoding: request.body), form.values(for: "decision") == ["allow"],
            takeRejection()
        else { return request }
        var refusal = FormParameters()
        for parameter in form.all {
            refusal.append(parameter.name, parameter.name == "decision" ? "deny" : parameter.value)
        }
        var request = request
        request.body = Array(refusal.encoded().utf8)
        return request
    }

    private func takeRejection() -> Bool {
        state.withLock { state in
            defer { state.refusesNextConsent = false }
            return state.refusesNextConsent
        }
    }
}
