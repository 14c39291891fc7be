// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import HTTPServer
import JOSE
import OAuthClient
import OAuthCore
import PKCE
import StrictJSON
import Synchronization
import Testing

/// An authorization server and an API on one real socket, which bind tokens in a configurable way.
final class BindingServer: Sendable {
    /// How the server binds tokens.
    enum Conduct: String, CaseIterable, Sendable {
        /// Issues only bound tokens.
        case requires
        /// Binds tokens requested with a proof, and says so in its metadata.
        case supports
        /// Binds tokens requested with a proof, and does not say so.
        case isSilent
        /// Binds nothing, and says so.
        case doesNotSupport
        /// Binds nothing, and does not say so.
        case answersBearer
        /// Binds nothing, and announces that it does.
        case breaksItsWord
        /// Issues tokens of type DPoP to every request.
        case answersDPoPUnasked
    }

    private struct Log {
        var conduct: Conduct
        var requests: [HTTPRequest] = []
        var violations: [String] = []
        var pushed: [String: FormParameters] = [:]
        var codes: [String: FormParameters] = [:]
        /// The thumbprint that each token is bound to; empty for none.
        var tokens: [String: String] = [:]
        var refreshTokens: [String: String] = [:]
        var counter = 0
    }

    private final class State: Sendable {
        let log: Mutex<Log>

        init(_ conduct: Conduct) {
            log = Mutex(Log(conduct: conduct))
        }
    }

    let issuer: String
    private let state: State
    private let listener: HTTPListener

    init(_ conduct: Conduct) throws {
        let state = State(conduct)
        listener = try HTTPListener(port: 0, threads: 1) { request in
            state.log.withLock { Self.respond(to: request, &$0) }
        }
        self.state = state
        issuer = "http://127.0.0.1:\(listener.port)"
    }

    /// Errors that a correct client never makes.
    var violations: [String] { state.log.withLock { $0.violations } }

    /// Changes the behaviour from now on.
    func change(to conduct: Conduct) {
        state.log.withLock { $0.conduct = conduct }
    }

    /// The requests to a path.
    func requests(to path: String) -> [HTTPRequest] {
        state.log.withLock { $0.requests.filter { $0.target == path } }
    }

    /// The callback URL after the user has consented.
    func approve(_ request: AuthorizationRequest) throws -> String {
        let query = try FormParameters(decoding: #require(try URI(parsing: request.url).query))
        let handle = try #require(try query.value(for: "request_uri"))
        return try state.log.withLock { log in
            let pushed = log.pushed.removeValue(forKey: handle)
            let asked = try #require(pushed)
            log.counter += 1
            let code = "code-\(log.counter)"
            log.codes[code] = asked
            let redirectURI = try #require(try asked.value(for: "redirect_uri"))
            let answer: FormParameters = ["code": code, "state": try #require(try asked.value(for: "state"))]
            return try URI(parsing: redirectURI).appendingQuery(answer).description
        }
    }

    private static func respond(to request: HTTPRequest, _ log: inout Log) -> HTTPResponse {
        log.requests.append(request)
        let base = "http://" + (request.fields["Host"] ?? "")
        if request.target.hasPrefix("/.well-known/") { return .json(200, metadata(base, log.conduct)) }
        var absolute = request
        absolute.target = base + request.target
        if request.target == "/api" { return api(absolute, &log) }
        guard let form = try? FormParameters(decoding: request.body) else { return .error(400, "invalid_request") }
        if request.target == "/revoke" { return HTTPResponse(status: 200) }
        let proof: ReceivedProof?
        do {
            proof = try Self.proof(absolute, nil)
        } catch {
            log.violations.append("\(error)")
            return .error(400, "invalid_dpop_proof")
        }
        if log.conduct == .requires, proof == nil { return .error(400, "invalid_dpop_proof") }
        return request.target == "/par" ? push(form, proof, &log) : token(form, proof, &log)
    }

    private static func proof(_ request: HTTPRequest, _ token: String?) throws -> ReceivedProof? {
        guard request.fields["DPoP"] != nil else { return nil }
        return try ReceivedProof(request, URI(parsing: request.target), accessToken: token)
    }

    private static func push(_ form: FormParameters, _ proof: ReceivedProof?, _ log: inout Log) -> HTTPResponse {
        if (try? form.value(for: "dpop_jkt")) != proof?.thumbprint {
            log.violations.append("dpop_jkt and the key of the proof are two")
        }
        log.counter += 1
        log.pushed["urn:x:\(log.counter)"] = form
        return .json(201, ["request_uri": .string("urn:x:\(log.counter)"), "expires_in": 60])
    }

    private static func token(_ form: FormParameters, _ proof: ReceivedProof?, _ log: inout Log) -> HTTPResponse {
        if let old = try? form.value(for: "refresh_token") {
            guard let bound = log.refreshTokens.removeValue(forKey: old), bound == proof?.thumbprint ?? "" else {
                return .error(400, "invalid_grant")
            }
        } else {
            guard let code = try? form.value(for: "code"), let asked = log.codes.removeValue(forKey: code),
                let verifier = try? CodeVerifier(form.value(for: "code_verifier") ?? ""),
                (try? asked.value(for: "code_challenge")) == verifier.s256Challenge.value,
                (try? asked.value(for: "dpop_jkt")) == proof?.thumbprint
            else { return .error(400, "invalid_grant") }
        }
        return grant(proof, &log)
    }

    private static func grant(_ proof: ReceivedProof?, _ log: inout Log) -> HTTPResponse {
        let binds = ![.answersBearer, .doesNotSupport, .breaksItsWord].contains(log.conduct)
        log.counter += 1
        let access = "access-\(log.counter)-" + String(repeating: "x", count: 40)
        log.tokens[access] = binds ? proof?.thumbprint ?? "" : ""
        // For public clients, refresh tokens are bound whenever a proof was sent (RFC 9449 section 5).
        log.refreshTokens["refresh-\(log.counter)"] = proof?.thumbprint ?? ""
        let isDPoP = log.conduct == .answersDPoPUnasked || (binds && proof != nil)
        return .json(
            200,
            [
                "access_token": .string(access), "token_type": isDPoP ? "DPoP" : "Bearer", "expires_in": 300,
                "refresh_token": .string("refresh-\(log.counter)"),
            ]
        )
    }

    private static func api(_ request: HTTPRequest, _ log: inout Log) -> HTTPResponse {
        guard let credentials = request.fields["Authorization"].flatMap({ try? Credentials.parse($0) }),
            let bound = log.tokens[credentials.token68]
        else { return .challenge("Bearer error=\"invalid_token\"") }
        guard credentials.hasScheme(bound.isEmpty ? "Bearer" : "DPoP") else {
            log.violations.append("a token with the wrong scheme")
            return HTTPResponse(status: 400)
        }
        let proof = try? proof(request, credentials.token68)
        guard proof?.thumbprint ?? "" == bound else {
            log.violations.append("a proof of another key, or where none belongs")
            return HTTPResponse(status: 400)
        }
        return HTTPResponse(status: 200, body: Array("hello".utf8))
    }

    private static func metadata(_ base: String, _ conduct: Conduct) -> JSONObject {
        var object: JSONObject = [
            "issuer": .string(base), "authorization_endpoint": .string(base + "/authorize"),
            "token_endpoint": .string(base + "/token"), "revocation_endpoint": .string(base + "/revoke"),
            "pushed_authorization_request_endpoint": .string(base + "/par"),
        ]
        switch conduct {
        case .requires, .supports, .breaksItsWord: object["dpop_signing_alg_values_supported"] = ["ES256"]
        case .doesNotSupport: object["dpop_signing_alg_values_supported"] = []
        default: break
        }
        return object
    }
}

/// A user who consents at a ``BindingServer``.
struct ConsentingUser: UserAgent {
    let server: BindingServer

    func authorize(
        redirectURI: String,
        _ makeRequest: @Sendable (String) async throws -> AuthorizationRequest
    ) async throws -> AuthorizationCallback {
        AuthorizationCallback(url: try await server.approve(makeRequest(redirectURI)))
    }
}
#endif
