// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import JOSE
public import OAuthCore
public import OAuthSystem
import StrictJSON

/// Introspects each access token at the authorization server, in any format: revoked tokens are rejected at once.
///
/// The API is registered there as a client with a secret, and as the server of its audience. By default, nothing is cached
/// between requests. With a cache, a revoked token works until its entry ends; audience and times are checked for each
/// request. One question about a token is under way at a time, and at most 64 in all; with a cache, 48 about tokens that were
/// not active before. A question is given up after `timeout`, so that a slow server and made-up tokens do not keep all others
/// waiting.
///
/// ## Specification
///
/// [RFC 7662 §2](https://www.rfc-editor.org/rfc/rfc7662#section-2)
public struct IntrospectingAccessTokens: AccessTokenReader {
    private static let maximumTokenLength = 8192
    private static let maximumResponseSize = 65_536

    private let endpoint: URI
    private let issuer: String
    private let audience: String
    private let authorization: String
    private let transport: any HTTPTransport
    private let timeout: Duration
    private let cache: IntrospectionCache

    /// Makes a reader.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the guard.
    ///   - endpoint: The introspection endpoint of the authorization server: `introspection_endpoint` of its metadata; an
    ///     https URL, or http with a loopback IP literal such as `127.0.0.1`.
    ///   - clientID: `client_id` of the API.
    ///   - clientSecret: Its secret, sent with `client_secret_basic`.
    ///   - transport: Sends the requests, which contain secrets.
    ///   - cacheLifetime: How long the answer about an active token is used, at most 60 seconds and never beyond its
    ///     `exp`; zero, the default, to ask each time. The answer about one that is not active is used for 5 seconds at
    ///     most. As many tokens as ``GuardConfiguration/rememberedTokens`` are cached.
    ///   - timeout: How long to wait for an answer; below the time after which a proxy gives up.
    /// - Throws: ``ResourceServerError`` – ``ResourceServerError/Code/invalidConfiguration`` for an endpoint without TLS, or
    ///   with several issuers.
    public init(
        _ configuration: GuardConfiguration,
        endpoint: URI,
        clientID: String,
        clientSecret: ClientSecret,
        transport: any HTTPTransport,
        cacheLifetime: Duration = .zero,
        timeout: Duration = .seconds(4)
    ) throws(ResourceServerError) {
        // RFC 7662 section 4: the requests contain the secret of the API and tokens.
        guard endpoint.isHTTPSOrLoopback else {
            throw ResourceServerError(
                .invalidConfiguration,
                "the introspection endpoint must be an https URL; http is allowed only for a loopback address such as 127.0.0.1"
            )
        }
        // Which server to ask about an opaque token cannot be told from the token, and no server may see those of another.
        guard configuration.furtherIssuers.isEmpty else {
            throw ResourceServerError(
                .invalidConfiguration,
                "introspection works with one issuer only: with several, all access tokens must be JWTs"
            )
        }
        self.endpoint = endpoint
        issuer = configuration.issuer
        audience = configuration.audience
        // RFC 6749 section 2.3.1: both are form-encoded.
        let pair = FormParameters.encode(clientID) + ":" + FormParameters.encode(clientSecret.value)
        authorization = "Basic " + Base64.encode(Array(pair.utf8))
        self.transport = transport
        self.timeout = timeout
        cache = IntrospectionCache(
            lifetime: min(max(cacheLifetime, .zero), .seconds(60)),
            capacity: configuration.rememberedTokens
        )
    }

    /// The claims of a token that is valid now, for this API.
    ///
    /// - Parameters:
    ///   - accessToken: The token as it was received.
    ///   - now: The current time.
    /// - Returns: Its claims; `nil` for a token that is not active, or for another API.
    /// - Throws: ``/OAuthCore/OAuthCoreError`` if the authorization server sends no response, or an invalid one.
    public func claims(of accessToken: String, at now: Timestamp) async throws -> JWTClaims? {
        guard accessToken.utf8.count <= Self.maximumTokenLength else { return nil }
        let claims = try await cache.claims(of: accessToken, at: now) {
            let answer = try await answer(about: accessToken)
            return answer["active"] == true ? try JWTClaims(answer) : nil
        }
        guard let claims else { return nil }
        // Section 4: a token for another API must not be accepted, even if the server describes it.
        guard claims.issuer?.isIdentical(to: issuer) ?? true,
            claims.audience.contains(where: { $0.isIdentical(to: audience) }),
            claims.expiresAt.map({ now < $0 }) ?? true,
            try claims.object.optionalDate("nbf").map({ $0 <= now }) ?? true,
            claims.subject != nil, claims.string("client_id") != nil
        else { return nil }
        return claims
    }

    private func answer(about accessToken: String) async throws -> JSONObject {
        let form: FormParameters = ["token": accessToken, "token_type_hint": "access_token"]
        var fields: HTTPFields = [
            "Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json",
            "Authorization": authorization,
        ]
        if let context = TraceContext.current { fields[TraceContext.field] = context.value }
        let request = HTTPRequest(
            method: "POST",
            target: endpoint.description,
            fields: fields,
            body: Array(form.encoded().utf8)
        )
        let response = try await send(request)
        guard response.status == 200, let object = try JSONValue(parsing: response.body).objectValue else {
            throw OAuthCoreError(.transportFailed, "the introspection endpoint did not answer as it must")
        }
        return object
    }

    private func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await withThrowingTaskGroup(of: HTTPResponse.self) { [transport, timeout] group in
            group.addTask { try await transport.send(request, maximumBodySize: Self.maximumResponseSize) }
            group.addTask {
                try await Task.sleep(for: timeout)
                throw OAuthCoreError(.transportFailed, "the introspection endpoint did not answer within \(timeout)")
            }
            defer { group.cancelAll() }
            guard let response = try await group.next() else { throw CancellationError() }
            return response
        }
    }
}
