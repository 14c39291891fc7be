// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import HTTPServer
import JOSE
import OAuthCore
import StrictJSON
import Synchronization
import TestSupport

/// An authorization server on a real socket that records requests and responds as a test says.
final class GrantServer: Sendable {
    let issuer: String
    private let conduct: GrantServerConduct
    private let listener: HTTPListener

    init() throws {
        let conduct = GrantServerConduct()
        // Not a port that the system assigns: after ``stop()``, requests would reach the server of another test.
        listener = try HTTPListener(port: FreePort.next(), threads: 1) { conduct.respond(to: $0) }
        self.conduct = conduct
        issuer = "http://127.0.0.1:\(listener.port)"
    }

    func change(_ body: (inout GrantServerConduct.Rules) -> Void) {
        conduct.change(body)
    }

    func stop() async {
        await listener.stop(draining: .zero)
    }

    /// The requests to an endpoint.
    func received(at path: String) -> [GrantServerConduct.Received] {
        conduct.log.received.filter { $0.path == path }
    }

    var proofs: [ReceivedProof] { conduct.log.proofs }
    /// Errors that a correct client never makes.
    var violations: [String] { conduct.log.violations }
}

/// The behaviour of a ``GrantServer``, and the requests it received.
final class GrantServerConduct: Sendable {
    /// Changed by tests.
    struct Rules {
        /// Members of the metadata in addition to the usual ones; `null` removes one.
        var metadata: JSONObject = [:]
        var tokenMembers: JSONObject = [:]
        var deviceMembers: JSONObject = [:]
        /// The nonce that proofs must contain.
        var nonce: String?
        /// Responses instead of the endpoint's own, by path, each used once.
        var instead: [String: [HTTPResponse]] = [:]
    }

    struct Received {
        let path: String
        let request: HTTPRequest
        let form: FormParameters

        func value(_ name: String) throws -> String? { try form.value(for: name) }
    }

    struct Log {
        var received: [Received] = []
        var proofs: [ReceivedProof] = []
        var violations: [String] = []
        var seenProofIDs: Set<String> = []
    }

    private struct State {
        var rules = Rules()
        var log = Log()
    }

    private let state = Mutex(State())

    var log: Log { state.withLock { $0.log } }

    func change(_ body: (inout Rules) -> Void) {
        state.withLock { body(&$0.rules) }
    }

    func respond(to request: HTTPRequest) -> HTTPResponse {
        let base = "http://" + (request.fields["Host"] ?? "")
        // The proof names the whole URL.
        var request = request
        request.target = base + request.target
        return state.withLock { Self.respond(to: request, base, &$0) }
    }

    private static func respond(to request: HTTPRequest, _ base: String, _ state: inout State) -> HTTPResponse {
        guard let uri = try? URI(parsing: request.target) else { return HTTPResponse(status: 400) }
        if request.method == "GET" { return .json(200, metadata(base, state.rules)) }
        if uri.query != nil { state.log.violations.append("a query at \(uri.path)") }
        guard let form = try? FormParameters(decoding: request.body), form.firstWronglyRepeatedName == nil else {
            state.log.violations.append("no form, or one with a repeated name")
            return .error(400, "invalid_request")
        }
        state.log.received.append(Received(path: uri.path, request: request, form: form))
        var response = answer(request, uri, &state)
        if let nonce = state.rules.nonce { response.fields["DPoP-Nonce"] = nonce }
        return response
    }

    private static func answer(_ request: HTTPRequest, _ uri: URI, _ state: inout State) -> HTTPResponse {
        // Only tokens and pushed requests are bound to a key.
        let isBound = ["/token", "/par", "/mtls/token", "/mtls/par"].contains(uri.path)
        if isBound {
            guard let proof = check(request, uri, &state.log) else { return .error(400, "invalid_dpop_proof") }
            if let nonce = state.rules.nonce, proof.nonce != nonce { return .error(400, "use_dpop_nonce") }
        } else if request.fields["DPoP"] != nil {
            state.log.violations.append("a proof at \(uri.path)")
        }
        if let answer = state.rules.instead[uri.path]?.first {
            state.rules.instead[uri.path]?.removeFirst()
            return answer
        }
        switch uri.path {
        case "/token", "/mtls/token": return .json(200, tokenAnswer.merging(state.rules.tokenMembers))
        case "/par", "/mtls/par": return .json(201, ["request_uri": "urn:x:1", "expires_in": 60])
        case "/revoke", "/mtls/revoke": return HTTPResponse(status: 200)
        case "/device", "/mtls/device": return .json(200, deviceAnswer.merging(state.rules.deviceMembers))
        default: return HTTPResponse(status: 404)
        }
    }

    private static func check(_ request: HTTPRequest, _ uri: URI, _ log: inout Log) -> ReceivedProof? {
        do {
            let proof = try ReceivedProof(request, uri, accessToken: nil)
            if !log.seenProofIDs.insert(proof.id).inserted { log.violations.append("a proof was used twice") }
            log.proofs.append(proof)
            return proof
        } catch {
            log.violations.append("\(error)")
            return nil
        }
    }

    private static let tokenAnswer: JSONObject = [
        "access_token": "granted", "token_type": "DPoP", "expires_in": 300,
    ]
    private static let deviceAnswer: JSONObject = [
        "device_code": "dev+ice/code", "user_code": "WDJB-MJHT", "verification_uri": "https://auth.example/device",
        "expires_in": 600,
    ]

    private static func metadata(_ base: String, _ rules: Rules) -> JSONObject {
        let usual: JSONObject = [
            "issuer": .string(base),
            "authorization_endpoint": .string(base + "/authorize"),
            "token_endpoint": .string(base + "/token"),
            "pushed_authorization_request_endpoint": .string(base + "/par"),
            "revocation_endpoint": .string(base + "/revoke"),
            "device_authorization_endpoint": .string(base + "/device"),
        ]
        return usual.merging(rules.metadata)
    }
}
#endif
