// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import OAuthTransport
import PKCE
import StrictJSON
import Testing

/// An authorization server and an API on one host, in memory, that check a client's requests and can misbehave.
actor FakeServer: ClientTransport {
    static let issuer = "https://auth.example"
    static let api = "https://auth.example/api/items"

    /// How the server demands nonces.
    enum NonceRule {
        case never
        /// One nonce that stays valid.
        case fixed(String)
        /// A new nonce in each response; the previous one is no longer valid.
        case alwaysNew
        /// A nonce that is never valid.
        case neverGood(String)
    }

    /// The behaviour of the server, which tests change.
    struct Rules {
        var metadata: JSONObject = [:]
        var clientID = "my-app"
        var offersPAR = true
        var hasOAuthMetadata = true
        var cacheControl: String?
        var tokenNonces = NonceRule.never
        var apiNonces = NonceRule.never
        var demandsNonceInChallenge = false
        var tokenType = "DPoP"
        var tokenMembers: JSONObject = [:]
        var tokenStatus = 200
        /// Whether a refresh leaves the refresh token as it is.
        var keepsRefreshTokens = false
        /// Responses instead of the endpoint's own, by path, each used once.
        var instead: [String: [HTTPResponse]] = [:]
        /// Paths that do not respond at all.
        var unreachable: Set<String> = []
        /// Paths whose requests are processed and whose responses are lost.
        var losesResponses: Set<String> = []
        /// The scope that a DELETE needs, and the challenge of a token without it; by default no token has it.
        var demandedScope: String?
        var scopeChallenge = #"DPoP error="insufficient_scope""#
        /// Whether the API rejects every access token.
        var rejectsAllTokens = false
        /// Runs before the response to any token request.
        var beforeToken: (@Sendable () async -> Void)?
        var date: String?
        /// Rejects an `iat` that is too far from this time.
        var time: Timestamp?
        /// The same for the API, whose clock may differ.
        var apiTime: Timestamp?
        var apiDate: String?
        /// Whether a refresh token that was used before ends the grant (RFC 9700 section 4.14.2).
        var takesRepetitionForTheft = false
        /// Whether the last one used may be repeated, as long as its successor has not been used.
        var forgivesOneRepetition = false
        /// Runs before the response to a revocation.
        var beforeRevocation: (@Sendable () async -> Void)?
        /// Runs before the response to a refresh.
        var beforeRefresh: (@Sendable () async -> Void)?
        var firstParty = FirstPartyRules()
    }

    private(set) var rules = Rules()
    private(set) var requests: [HTTPRequest] = []
    private(set) var proofs: [ReceivedProof] = []
    /// Errors that a correct client never makes.
    private(set) var violations: [String] = []
    private(set) var refreshes = 0
    /// How often a repeated refresh token ended the grant.
    private(set) var thefts = 0
    private var grantedScopes: [String: String] = [:]
    private var successors: [String: String] = [:]
    private(set) var revoked: [String] = []
    private(set) var goodTokens: Set<String> = []
    private(set) var goodRefreshTokens: Set<String> = []
    var pushed: [String: FormParameters] = [:]
    var codes: [String: FormParameters] = [:]
    private var seenProofIDs: Set<String> = []
    private var nonces: [String: String] = [:]
    var counter = 0
    var firstParty = FirstPartyLog()

    func change(_ body: @Sendable (inout Rules) -> Void) {
        body(&rules)
    }

    func forgetAccessTokens() {
        goodTokens = []
    }

    func requests(to path: String) -> [HTTPRequest] {
        requests.filter { (try? URI(parsing: $0.target))?.path == path }
    }

    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
        requests.append(request)
        guard let uri = try? URI(parsing: request.target), !rules.unreachable.contains(uri.path) else {
            throw OAuthCoreError(.transportFailed, "nothing answers", wasSent: false)
        }
        if let answer = rules.instead[uri.path]?.first {
            rules.instead[uri.path]?.removeFirst()
            return answer
        }
        var response = await answer(request, uri)
        guard !rules.losesResponses.contains(uri.path) else {
            throw OAuthCoreError(.transportFailed, "the connection broke off", wasSent: true)
        }
        if let date = uri.path.hasPrefix("/api") ? rules.apiDate : rules.date { response.fields["Date"] = date }
        return response
    }

    private func answer(_ request: HTTPRequest, _ uri: URI) async -> HTTPResponse {
        switch (request.method, uri.path) {
        case ("GET", "/.well-known/oauth-authorization-server"):
            guard rules.hasOAuthMetadata else { return HTTPResponse(status: 404) }
            var response = HTTPResponse.json(200, metadata())
            response.fields["Cache-Control"] = rules.cacheControl
            return response
        case ("GET", "/.well-known/openid-configuration"): return .json(200, metadata())
        case ("POST", "/authorize-challenge"): return provedForm(request, uri) { challenge($0, $1) }
        case ("POST", "/par"): return provedForm(request, uri) { push($0, $1) }
        case ("POST", "/token"):
            await rules.beforeToken?()
            if let before = rules.beforeRefresh,
                String(decoding: request.body, as: UTF8.self).contains("refresh_token=")
            {
                await before()
            }
            return provedForm(request, uri) { token($0, $1) }
        case ("POST", "/revoke"):
            await rules.beforeRevocation?()
            return revoke(request)
        case (_, let path) where path.hasPrefix("/api"): return protected(request, uri)
        default: return HTTPResponse(status: 404)
        }
    }

    private func metadata() -> JSONObject {
        var object: JSONObject = [
            "issuer": .string(Self.issuer),
            "authorization_endpoint": "https://auth.example/authorize",
            "token_endpoint": "https://auth.example/token",
            "revocation_endpoint": "https://auth.example/revoke",
            "authorization_response_iss_parameter_supported": true,
        ]
        if rules.offersPAR { object["pushed_authorization_request_endpoint"] = "https://auth.example/par" }
        rules.firstParty.announce(in: &object)
        for member in rules.metadata.members { object[member.name] = member.value == .null ? nil : member.value }
        return object
    }

    // MARK: The browser

    /// The callback URL after the user has consented.
    func approve(url: String, issuer: String? = FakeServer.issuer) throws -> String {
        let parameters = try authorizationParameters(url)
        counter += 1
        let code = "code \(counter)+&/="
        codes[code] = parameters
        var answer: FormParameters = ["code": code, "state": try #require(try parameters.value(for: "state"))]
        if let issuer { answer.append("iss", issuer) }
        let redirectURI = try #require(try parameters.value(for: "redirect_uri"))
        return try URI(parsing: redirectURI).appendingQuery(answer).description
    }

    /// The parameters of a URL for the browser, including pushed ones.
    func authorizationParameters(_ url: String) throws -> FormParameters {
        let query = try FormParameters(decoding: #require(try URI(parsing: url).query))
        guard let requestURI = try query.value(for: "request_uri") else { return query }
        let parameters = pushed.removeValue(forKey: requestURI)
        return try #require(parameters)
    }

    // MARK: Endpoints

    private func provedForm(
        _ request: HTTPRequest,
        _ uri: URI,
        _ respond: (FormParameters, ReceivedProof) -> HTTPResponse
    ) -> HTTPResponse {
        if uri.query != nil { violations.append("a query at \(uri.path)") }
        guard let form = try? FormParameters(decoding: request.body), form.firstWronglyRepeatedName == nil else {
            return .error(400, "invalid_request")
        }
        guard let proof = check(request, uri, accessToken: nil) else { return .error(400, "invalid_dpop_proof") }
        if let demand = demandNonce(rules.tokenNonces, "as", proof, isAPI: false) { return demand }
        var response = respond(form, proof)
        offerNonce(rules.tokenNonces, "as", &response)
        return response
    }

    private func push(_ form: FormParameters, _ proof: ReceivedProof) -> HTTPResponse {
        guard (try? form.value(for: "dpop_jkt")) == proof.thumbprint else {
            violations.append("dpop_jkt is not the key of the proof")
            return .error(400, "invalid_dpop_proof")
        }
        counter += 1
        pushed["urn:ietf:params:oauth:request_uri:\(counter)"] = form
        let body: JSONObject = [
            "request_uri": .string("urn:ietf:params:oauth:request_uri:\(counter)"), "expires_in": 60,
        ]
        return .json(201, body)
    }

    private func token(_ form: FormParameters, _ proof: ReceivedProof) -> HTTPResponse {
        guard (try? form.value(for: "client_id")) == rules.clientID else {
            violations.append("no client_id")
            return .error(401, "invalid_client")
        }
        if (try? form.value(for: "grant_type")) == "refresh_token" {
            refreshes += 1
            guard let old = try? form.value(for: "refresh_token"), redeem(old) else {
                return .error(400, "invalid_grant")
            }
            let response = grant(keeping: rules.keepsRefreshTokens ? old : nil)
            if !rules.keepsRefreshTokens { successors[old] = Self.token("refresh", counter) }
            return response
        }
        if (try? form.value(for: "grant_type")) == "client_credentials" { return grant() }
        guard let code = try? form.value(for: "code"), let asked = codes.removeValue(forKey: code),
            let verifier = try? CodeVerifier(form.value(for: "code_verifier") ?? ""),
            (try? asked.value(for: "code_challenge")) == verifier.s256Challenge.value,
            (try? asked.value(for: "dpop_jkt")) == proof.thumbprint,
            (try? asked.value(for: "redirect_uri")) == (try? form.value(for: "redirect_uri"))
        else { return .error(400, "invalid_grant") }
        return grant(scope: (try? asked.value(for: "scope")) ?? "")
    }

    private func isGranted(_ token: String) -> Bool {
        guard let scope = rules.demandedScope else { return false }
        return grantedScopes[token]?.split(separator: " ").contains { $0 == scope } ?? false
    }

    private func redeem(_ token: String) -> Bool {
        if goodRefreshTokens.remove(token) != nil { return true }
        guard rules.takesRepetitionForTheft, let successor = successors[token] else { return false }
        if rules.forgivesOneRepetition, goodRefreshTokens.remove(successor) != nil { return true }
        thefts += 1
        (goodRefreshTokens, goodTokens) = ([], [])
        return false
    }

    private func grant(keeping old: String? = nil, scope: String? = nil) -> HTTPResponse {
        counter += 1
        let (access, refresh) = (Self.token("access", counter), old ?? Self.token("refresh", counter))
        goodTokens.insert(access)
        goodRefreshTokens.insert(refresh)
        var body: JSONObject = [
            "access_token": .string(access), "token_type": .string(rules.tokenType), "expires_in": 300,
            "refresh_token": .string(refresh),
        ]
        grantedScopes[access] = rules.tokenMembers["scope"]?.stringValue ?? scope
        for member in rules.tokenMembers.members { body[member.name] = member.value == .null ? nil : member.value }
        if old != nil, body["refresh_token"] != nil { body["refresh_token"] = nil }
        return .json(rules.tokenStatus, body)
    }

    /// A token of 50 characters that contains a number.
    static func token(_ kind: String, _ number: Int) -> String {
        "\(kind)-\(number)-" + String(repeating: "x", count: 50 - kind.utf8.count - String(number).utf8.count - 2)
    }

    private func revoke(_ request: HTTPRequest) -> HTTPResponse {
        guard let form = try? FormParameters(decoding: request.body), let token = try? form.value(for: "token") else {
            return .error(400, "invalid_request")
        }
        revoked.append(token)
        if rules.takesRepetitionForTheft, goodRefreshTokens.remove(token) != nil { goodTokens = [] }
        return HTTPResponse(status: 200)
    }

    private func protected(_ request: HTTPRequest, _ uri: URI) -> HTTPResponse {
        let authorization = request.fields.values(for: "Authorization")
        guard authorization.count == 1, let credentials = try? Credentials.parse(authorization[0]) else {
            return HTTPResponse(status: 401, fields: ["WWW-Authenticate": "DPoP algs=\"ES256\""])
        }
        guard credentials.hasScheme("DPoP") else { return HTTPResponse(status: 200, body: Array("bearer".utf8)) }
        guard let proof = check(request, uri, accessToken: credentials.token68) else {
            return .challenge("DPoP error=\"invalid_dpop_proof\"")
        }
        if let demand = demandNonce(rules.apiNonces, "api", proof, isAPI: true) { return demand }
        guard !rules.rejectsAllTokens, goodTokens.contains(credentials.token68) else {
            return .challenge("Bearer realm=\"x\", DPoP algs=\"ES256\", error=\"invalid_token\"")
        }
        var response = HTTPResponse(status: 200, body: Array("hello".utf8))
        if request.method == "DELETE", !isGranted(credentials.token68) {
            response = .challenge(rules.scopeChallenge, status: 403)
        }
        offerNonce(rules.apiNonces, "api", &response)
        return response
    }

    // MARK: Proofs

    private func check(_ request: HTTPRequest, _ uri: URI, accessToken: String?) -> ReceivedProof? {
        do {
            let proof = try ReceivedProof(request, uri, accessToken: accessToken)
            proofs.append(proof)
            if !seenProofIDs.insert(proof.id).inserted { violations.append("a proof was used twice") }
            if let time = accessToken == nil ? rules.time : rules.apiTime ?? rules.time,
                abs(time.secondsSince1970 - proof.issuedAt) > 30
            {
                return nil
            }
            return proof
        } catch {
            violations.append("\(error)")
            return nil
        }
    }

    private func demandNonce(_ rule: NonceRule, _ name: String, _ proof: ReceivedProof, isAPI: Bool) -> HTTPResponse? {
        switch rule {
        case .never: return nil
        case .fixed(let nonce) where proof.nonce == nonce: return nil
        case .alwaysNew where proof.nonce != nil && proof.nonce == nonces[name]: return nil
        default: break
        }
        let asChallenge = isAPI != rules.demandsNonceInChallenge
        var response: HTTPResponse =
            asChallenge
            ? .challenge("Bearer realm=\"a, b\", DPoP error=\"use_dpop_nonce\", algs=\"ES256\"")
            : .error(400, "use_dpop_nonce")
        offerNonce(rule, name, &response)
        return response
    }

    private func offerNonce(_ rule: NonceRule, _ name: String, _ response: inout HTTPResponse) {
        switch rule {
        case .never: break
        case .fixed(let nonce), .neverGood(let nonce): response.fields["DPoP-Nonce"] = nonce
        case .alwaysNew:
            counter += 1
            nonces[name] = "\(name)-nonce-\(counter)"
            response.fields["DPoP-Nonce"] = nonces[name]
        }
    }
}
