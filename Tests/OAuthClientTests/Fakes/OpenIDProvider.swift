// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import HTTPServer
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import PKCE
import StrictJSON
import TestSupport
import Testing

/// An OpenID provider on a real socket whose id_tokens and responses violate the rules that a test names.
actor OpenIDProvider {
    /// The behaviour of the provider, which tests change.
    struct Rules: Sendable {
        /// Members of the metadata in addition to the usual ones; `null` removes one.
        var metadata: JSONObject = [:]
        var hasOAuthMetadata = true
        /// The key that signs id_tokens, and the `kid` in them.
        var key: any SigningKey
        var keyID: String? = "k1"
        /// The published keys.
        var keys: JWKSet
        /// Header parameters and claims of id_tokens in addition to the usual ones; `null` removes one.
        var header: JSONObject = [:]
        var claims: JSONObject = [:]
        /// Replaces the finished id_token, or removes it.
        var change: @Sendable (String) -> String? = { $0 }
        /// Members of the token response; `null` removes one.
        var tokenMembers: JSONObject = [:]
        /// Changed claims of the id_token of a refresh; `nil` for no id_token.
        var refreshClaims: JSONObject? = [:]
        var userInfo: JSONObject = ["sub": "alice", "name": "Alice", "email": "alice@example.com"]
        /// The header of a signed userinfo response; `nil` for plain JSON.
        var userInfoHeader: JSONObject?
        var introspection: JSONObject = ["active": false]
        var introspectionHeader: JSONObject?
        /// The nonce that proofs at the userinfo endpoint must contain.
        var userInfoNonce: String?
        /// Responses instead of an endpoint's own, by path, each used once.
        var instead: [String: [HTTPResponse]] = [:]
    }

    nonisolated let base: String
    private let listener: HTTPListener
    private let clock: FixedClock
    private(set) var rules: Rules
    private(set) var requests: [HTTPRequest] = []
    private(set) var proofs: [ReceivedProof] = []
    private var codes: [String: FormParameters] = [:]
    /// The nonce of the sign-in, by refresh token.
    private var nonces: [String: String] = [:]
    private var counter = 0
    private var goodToken = ""

    init(clock: FixedClock) async throws {
        let slot = LateBoundHandler()
        // Not a port that the system assigns: after ``stop()``, requests would reach the server of another test.
        listener = try HTTPListener(port: FreePort.next(), threads: 1) { await slot.answer($0) }
        base = "http://127.0.0.1:\(listener.port)"
        self.clock = clock
        let key = try TestKey.p256(7)
        rules = Rules(key: key, keys: JWKSet([key.publicKey.named("k1", algorithm: .es256)]))
        await slot.fill { [weak self] in await self?.respond(to: $0) ?? HTTPResponse(status: 503) }
    }

    func change(_ body: @Sendable (inout Rules) -> Void) {
        body(&rules)
    }

    func stop() async {
        await listener.stop(draining: .zero)
    }

    /// Invalidates all access tokens.
    func forgetToken() {
        goodToken = ""
    }

    /// The forms that an endpoint received.
    func forms(at path: String) throws -> [FormParameters] {
        try requests.filter { $0.path == path }.map { try FormParameters(decoding: $0.body) }
    }

    func count(at path: String) -> Int {
        requests.count { $0.path == path }
    }

    // MARK: The browser

    /// The callback URL after the user has signed in.
    func approve(_ request: AuthorizationRequest) throws -> String {
        let parameters = try FormParameters(decoding: #require(try URI(parsing: request.url).query))
        counter += 1
        let code = FakeServer.token("code", counter)
        codes[code] = parameters
        let answer: FormParameters = ["code": code, "state": request.state, "iss": base]
        return try URI(parsing: request.redirectURI).appendingQuery(answer).description
    }

    // MARK: Endpoints

    private func respond(to request: HTTPRequest) async -> HTTPResponse {
        requests.append(request)
        let path = String(request.path)
        if let answer = rules.instead[path]?.first {
            rules.instead[path]?.removeFirst()
            return answer
        }
        do {
            // The same endpoints again, for clients with a certificate.
            switch (request.method, path.replacing("/mtls/", with: "/", maxReplacements: 1)) {
            case ("GET", "/.well-known/oauth-authorization-server"):
                return rules.hasOAuthMetadata ? .json(200, metadata) : HTTPResponse(status: 404)
            case ("GET", "/.well-known/openid-configuration"): return .json(200, metadata)
            case ("GET", "/jwks"): return .json(200, rules.keys.json)
            case ("POST", "/token"): return try await token(FormParameters(decoding: request.body))
            case ("GET", "/userinfo"): return try await userInfo(request)
            case ("POST", "/introspect"): return try await introspection()
            case ("POST", "/revoke"): return HTTPResponse(status: 200)
            default: return HTTPResponse(status: 404)
            }
        } catch {
            return .error(400, "invalid_request")
        }
    }

    private var metadata: JSONObject {
        let usual: JSONObject = [
            "issuer": .string(base),
            "authorization_endpoint": .string(base + "/authorize"),
            "token_endpoint": .string(base + "/token"),
            "jwks_uri": .string(base + "/jwks"),
            "userinfo_endpoint": .string(base + "/userinfo"),
            "introspection_endpoint": .string(base + "/introspect"),
            "revocation_endpoint": .string(base + "/revoke"),
            "end_session_endpoint": .string(base + "/end?tenant=7"),
        ]
        return usual.merging(rules.metadata)
    }

    private func token(_ form: FormParameters) async throws -> HTTPResponse {
        counter += 1
        let (access, refresh) = (FakeServer.token("access", counter), FakeServer.token("refresh", counter))
        var body: JSONObject = [
            "access_token": .string(access), "token_type": "DPoP", "expires_in": 300, "refresh_token": .string(refresh),
        ]
        let half = try Self.leftHalf(of: access)
        if let old = try form.value(for: "refresh_token") {
            nonces[refresh] = nonces[old]
            if let changes = rules.refreshClaims {
                let claims = idTokenClaims(nonce: nil, half).merging(changes)
                body["id_token"] = try await idToken(claims).map { .string($0) }
            }
        } else {
            let asked = try form.value(for: "code").map { codes.removeValue(forKey: $0) } ?? device(form)
            guard let asked else { return .error(400, "invalid_grant") }
            nonces[refresh] = try asked.value(for: "nonce")
            let claims = idTokenClaims(nonce: nonces[refresh], half).merging(rules.claims)
            body["id_token"] = try await idToken(claims).map { .string($0) }
        }
        goodToken = access
        return .json(200, body.merging(rules.tokenMembers))
    }

    /// The user of another device has always consented already, and no nonce was sent.
    private func device(_ form: FormParameters) throws -> FormParameters? {
        try form.value(for: "device_code") == "device-1" ? [:] : nil
    }

    private func idTokenClaims(nonce: String?, _ accessTokenHash: String) -> JSONObject {
        let now = clock.now().secondsSince1970
        var claims: JSONObject = [
            "iss": .string(base), "sub": "alice", "aud": "my-app", "exp": .number(JSONNumber(now + 300)),
            "iat": .number(JSONNumber(now)), "at_hash": .string(accessTokenHash),
        ]
        claims["nonce"] = nonce.map { .string($0) }
        return claims
    }

    private func idToken(_ claims: JSONObject) async throws -> String? {
        try await rules.change(signed(claims, rules.header))
    }

    private func signed(_ claims: JSONObject, _ header: JSONObject) async throws -> String {
        var usual: JSONObject = [:]
        usual["kid"] = rules.keyID.map { .string($0) }
        return try await CompactJWS.sign(
            header: usual.merging(header),
            payload: JSONValue.object(claims).encoded(),
            with: rules.key
        )
    }

    /// For ES256: the PKCE challenge is the same function, base64url of SHA-256 of ASCII.
    private static func leftHalf(of text: String) throws -> String {
        let digest = try Base64URL.decode(CodeVerifier(text).s256Challenge.value)
        return Base64URL.encode(Array(digest.prefix(16)))
    }

    private func userInfo(_ request: HTTPRequest) async throws -> HTTPResponse {
        var absolute = request
        absolute.target = base + request.target
        let credentials = try Credentials.parse(request.fields["Authorization"] ?? "")
        let proof = try ReceivedProof(absolute, URI(parsing: absolute.target), accessToken: credentials.token68)
        proofs.append(proof)
        if let nonce = rules.userInfoNonce, proof.nonce != nonce {
            var demand = HTTPResponse.challenge(#"DPoP error="use_dpop_nonce""#)
            demand.fields["DPoP-Nonce"] = nonce
            return demand
        }
        guard credentials.hasScheme("DPoP"), credentials.token68 == goodToken else {
            return .challenge(#"DPoP error="invalid_token""#)
        }
        guard let header = rules.userInfoHeader else { return .json(200, rules.userInfo) }
        return Self.jwt("application/jwt; charset=utf-8", try await signed(rules.userInfo, header))
    }

    private func introspection() async throws -> HTTPResponse {
        guard let header = rules.introspectionHeader else { return .json(200, rules.introspection) }
        return Self.jwt("application/token-introspection+jwt", try await signed(rules.introspection, header))
    }

    private static func jwt(_ type: String, _ text: String) -> HTTPResponse {
        HTTPResponse(status: 200, fields: ["Content-Type": type], body: Array(text.utf8))
    }

    /// The handler of the listener, which starts before the provider exists.
    private actor LateBoundHandler {
        private var handler: (@Sendable (HTTPRequest) async -> HTTPResponse)?

        func fill(_ handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse) {
            self.handler = handler
        }

        func answer(_ request: HTTPRequest) async -> HTTPResponse {
            await handler?(request) ?? HTTPResponse(status: 503)
        }
    }
}
#endif
