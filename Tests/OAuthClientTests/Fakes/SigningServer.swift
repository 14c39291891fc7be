// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import HTTPServer
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import OAuthTransport
import PKCE
import StrictJSON
import TestSupport

/// An authorization server on a real socket that accepts signed requests, and responds in every response mode.
final class SigningServer: Sendable {
    let issuer: String
    let conduct: SigningServerConduct
    private let listener: HTTPListener

    init(clock: FixedClock) throws {
        let conduct = try SigningServerConduct(clock: clock)
        listener = try HTTPListener(port: 0, threads: 1) { await conduct.respond(to: $0) }
        self.conduct = conduct
        issuer = "http://127.0.0.1:\(listener.port)"
    }

    func change(_ body: @Sendable (inout SigningServerConduct.Rules) -> Void) async {
        await conduct.change(body)
    }

    /// Acts as a browser without scripts: opens the URL, and returns the callback that the server sends.
    ///
    /// The page of `form_post` is read by the names and values of its fields.
    func browse(_ request: AuthorizationRequest) async throws -> AuthorizationCallback {
        let transport = PlatformTransport()
        let response = try await transport.send(HTTPRequest(target: request.url), maximumBodySize: 65_536)
        if let location = response.fields["Location"] { return AuthorizationCallback(url: location) }
        let page = String(decoding: response.body, as: UTF8.self)
        let pieces = page.split(separator: "\"", omittingEmptySubsequences: false).map(String.init)
        var form = FormParameters()
        for (index, piece) in pieces.enumerated() where piece.hasSuffix("name=") {
            form.append(pieces[index + 1], pieces[index + 3])
        }
        let action = pieces.firstIndex { $0.hasSuffix("action=") }.map { pieces[$0 + 1] }
        return AuthorizationCallback(url: action ?? "", formBody: Array(form.encoded().utf8))
    }
}

/// The behaviour of a ``SigningServer``, and the requests it received.
actor SigningServerConduct {
    /// Changed by tests.
    struct Rules {
        var metadata: JSONObject = [:]
        var offersPAR = true
        /// The nonce that proofs at the endpoint for pushed requests must contain.
        var nonce: String?
        /// Whether the first signed request is rejected, like one from the future.
        var refusesFirstRequestObject = false
        /// Members of the header and the payload of signed responses in addition to the usual ones; `null` removes one.
        var answerHeader: JSONObject = [:]
        var answerClaims: JSONObject = [:]
        /// Whether another key signs responses; the published keys do not change.
        var signsWithAnotherKey = false
        /// The response mode, regardless of the requested one.
        var mode: ResponseMode?
        /// Parameters in addition to those of the response.
        var beside: FormParameters = [:]
        /// Replaces the signed response.
        var response: String?
    }

    private(set) var rules = Rules()
    /// The forms that were pushed.
    private(set) var pushed: [FormParameters] = []
    /// The queries of the authorization endpoint.
    private(set) var queries: [FormParameters] = []
    /// The request objects, each with its header and its claims.
    private(set) var objects: [(header: JSONObject, claims: JSONObject)] = []
    /// Errors that a correct client never makes.
    private(set) var violations: [String] = []
    /// The number of requests for the keys.
    private(set) var keyRequests = 0
    private(set) var issuedCodes = 0
    /// The forms that the token endpoint received.
    private(set) var tokenForms: [FormParameters] = []
    private var waiting: [String: JSONObject] = [:]
    private var codes: [String: JSONObject] = [:]
    private var seenIDs: Set<String> = []
    private let clock: FixedClock
    let key: SoftwareSigningKey
    let otherKey: SoftwareSigningKey
    /// The key with which clients sign requests in the tests.
    static func clientKey() throws -> SoftwareSigningKey { try TestKey.p256(9) }

    init(clock: FixedClock) throws {
        self.clock = clock
        key = try TestKey.p256(21)
        otherKey = try TestKey.p256(22)
    }

    func change(_ body: @Sendable (inout Rules) -> Void) {
        body(&rules)
    }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let base = "http://" + (request.fields["Host"] ?? "")
        do {
            let uri = try URI(parsing: base + request.target)
            switch uri.path {
            case "/.well-known/oauth-authorization-server": return .json(200, metadata(base))
            case "/jwks":
                keyRequests += 1
                return .json(200, ["keys": [.object(key.publicKey.json)]])
            case "/par": return try push(request, uri, base)
            case "/authorize": return try await authorize(uri, base)
            case "/token": return try token(request, uri)
            default: return HTTPResponse(status: 404)
            }
        } catch {
            violations.append("\(error)")
            return .error(400, "invalid_request")
        }
    }

    private func metadata(_ base: String) -> JSONObject {
        var object: JSONObject = [
            "issuer": .string(base), "authorization_endpoint": .string(base + "/authorize"),
            "token_endpoint": .string(base + "/token"), "jwks_uri": .string(base + "/jwks"),
            "authorization_response_iss_parameter_supported": true,
        ]
        if rules.offersPAR { object["pushed_authorization_request_endpoint"] = .string(base + "/par") }
        return object.merging(rules.metadata)
    }

    private func push(_ request: HTTPRequest, _ uri: URI, _ base: String) throws -> HTTPResponse {
        var request = request
        request.target = uri.description
        let form = try FormParameters(decoding: request.body)
        let proof = try ReceivedProof(request, uri, accessToken: nil)
        pushed.append(form)
        if rules.refusesFirstRequestObject, pushed.count == 1 { return .error(400, "invalid_request_object") }
        let claims = try parameters(form, base)
        if claims["dpop_jkt"]?.stringValue != proof.thumbprint { violations.append("dpop_jkt is not the proof's key") }
        if let nonce = rules.nonce, proof.nonce != nonce {
            var demand = HTTPResponse.error(400, "use_dpop_nonce")
            demand.fields["DPoP-Nonce"] = nonce
            return demand
        }
        let name = "urn:x:\(waiting.count)"
        waiting[name] = claims
        return .json(201, ["request_uri": .string(name), "expires_in": 60])
    }

    /// The parameters of a request; of a signed one, only those in the JWT (RFC 9101 section 6.3).
    private func parameters(_ form: FormParameters, _ base: String) throws -> JSONObject {
        guard let object = try form.value(for: "request") else {
            var claims = JSONObject()
            for parameter in form.all { claims[parameter.name] = .string(parameter.value) }
            return claims
        }
        let clientKey = try Self.clientKey()
        let clientID = try form.value(for: "client_id") ?? ""
        let header = try CompactJWS(parsing: object, maximumLength: 16_384).header
        var validation = JWTValidation.requestObject(clientID: clientID, issuer: base)
        validation.maximumLength = 16_384
        let claims = try validation.validate(
            object,
            with: JWKSet([clientKey.publicKey.named("k9", algorithm: .es256)]),
            at: clock.now()
        ).object
        if !seenIDs.insert(claims["jti"]?.stringValue ?? "").inserted {
            violations.append("a signed request was sent twice")
        }
        objects.append((header, claims))
        return claims
    }

    // MARK: The response

    private func authorize(_ uri: URI, _ base: String) async throws -> HTTPResponse {
        let query = try FormParameters(decoding: uri.query ?? "")
        queries.append(query)
        let claims = try query.value(for: "request_uri").flatMap { waiting.removeValue(forKey: $0) }
        let asked = try claims ?? parameters(query, base)
        let mode = rules.mode ?? ResponseMode(rawValue: asked["response_mode"]?.stringValue ?? "query")
        issuedCodes += 1
        var answer: JSONObject = [
            "iss": .string(base), "code": .string("code \(issuedCodes)+&/="), "state": asked["state"] ?? .null,
        ]
        codes["code \(issuedCodes)+&/="] = asked
        var form = rules.beside
        if mode.rawValue.hasSuffix("jwt") {
            answer["aud"] = asked["client_id"]
            answer["exp"] = .number(JSONNumber(clock.now().secondsSince1970 + 300))
            form.append("response", try await signed(answer.merging(rules.answerClaims)))
        } else {
            for member in answer.merging(rules.answerClaims).members {
                form.append(member.name, member.value.stringValue ?? "")
            }
        }
        return try Self.sent(form, mode, to: URI(parsing: asked["redirect_uri"]?.stringValue ?? ""))
    }

    /// Issues tokens for a code if all parameters match the authorization request.
    private func token(_ request: HTTPRequest, _ uri: URI) throws -> HTTPResponse {
        var request = request
        request.target = uri.description
        let form = try FormParameters(decoding: request.body)
        let proof = try ReceivedProof(request, uri, accessToken: nil)
        tokenForms.append(form)
        guard let asked = try codes.removeValue(forKey: form.value(for: "code") ?? ""),
            try asked["redirect_uri"]?.stringValue == form.value(for: "redirect_uri"),
            try asked["code_challenge"]?.stringValue
                == CodeVerifier(form.value(for: "code_verifier") ?? "").s256Challenge.value,
            asked["dpop_jkt"]?.stringValue == proof.thumbprint
        else { return .error(400, "invalid_grant") }
        return .json(200, ["access_token": "granted", "token_type": "DPoP", "expires_in": 300])
    }

    private func signed(_ claims: JSONObject) async throws -> String {
        if let response = rules.response { return response }
        let signer = rules.signsWithAnotherKey ? otherKey : key
        let usual: JSONObject = ["alg": "ES256"]
        let header = usual.merging(rules.answerHeader)
        return try await RawJWS.sign(
            header: JSONValue.object(header).encoded(),
            payload: JSONValue.object(claims).encoded(),
            with: signer
        )
    }

    private static func sent(_ form: FormParameters, _ mode: ResponseMode, to redirectURI: URI) -> HTTPResponse {
        switch mode {
        case .formPost, .formPostJWT:
            let fields = form.all.map { "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value)\">" }
            let page = "<form method=\"post\" action=\"\(redirectURI)\">\(fields.joined())</form>"
            return HTTPResponse(status: 200, fields: ["Content-Type": "text/html"], body: Array(page.utf8))
        case .fragment, .fragmentJWT:
            return HTTPResponse(status: 303, fields: ["Location": "\(redirectURI)#\(form.encoded())"])
        default:
            return HTTPResponse(status: 303, fields: ["Location": redirectURI.appendingQuery(form).description])
        }
    }
}
#endif
