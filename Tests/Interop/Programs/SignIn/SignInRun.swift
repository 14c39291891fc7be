// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import Reporting
import StrictJSON

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The whole sign-in, a step at a time; what a step throws is its finding.
struct SignInRun: Sendable {
    private struct Unexpected: Error, CustomStringConvertible {
        let description: String
    }

    private let request: SignInRequest
    private let transport = WitnessTransport()

    init(_ request: SignInRequest) {
        self.request = request
    }

    /// Runs every step until one fails that later ones need.
    ///
    /// - Returns: Whether all passed.
    func run() async -> Bool {
        do {
            let client = try makeClient()
            try await step("discovery") { try await discover(with: client) }
            let session = try await step("sign-in: request, pages, redirect, code exchange") {
                try await signIn(with: client)
            }
            try await step("the protected resource answers") { try await call(with: session) }
            if isOpenID {
                try await step("the id_token is validated") { try await identify(session) }
                try await step("userinfo is about the same user") { try await askAboutUser(session) }
            }
            try await step("refresh") { try await refresh(session) }
            try await step("the protected resource answers the refreshed token") { try await call(with: session) }
            if isOpenID, try await client.fetchAuthorizationServerMetadata().endSessionEndpoint != nil {
                try await step("the browser ends the session at the server") { try await leave(session) }
            }
            try await step("revoke and sign out") { try await signOut(session) }
            return true
        } catch {
            return false
        }
    }

    private var isOpenID: Bool { request.scopes.contains("openid") }

    private func makeClient() throws -> OAuth2Client {
        var configuration = OAuth2ClientConfiguration.allowingInsecureHTTPOnLoopback
        if request.acceptsBearer {
            let fallback = TokenBindingFallback.bearerTokensInsteadOfBoundOnes
            configuration.tokenBoundConfiguration = BoundedTokenConfiguration(fallback: fallback)
        }
        if let secret = request.clientSecret { configuration.clientAuthentication = .clientSecretBasic(secret) }
        if request.signsRequest { configuration.requestObjectSigning = try requestSigning() }
        return try OAuth2Client(
            issuer: request.issuer,
            clientID: request.clientID,
            redirectURI: request.redirectURI,
            configuration: configuration,
            transport: transport
        )
    }

    private func requestSigning() throws -> RequestObjectSigning {
        let key = try SoftwareSigningKey()
        let keys = JWKSet([key.publicKey.named("interop", algorithm: .es256)])
        // The script registers it, and says when that is done.
        Report.open(String(decoding: JSONValue.object(keys.json).encoded(), as: UTF8.self))
        guard readLine() != nil else { throw Unexpected(description: "the key was not registered") }
        return .always(with: key, keyID: "interop")
    }

    private func discover(with client: OAuth2Client) async throws -> (Void, String) {
        let metadata = try await client.fetchAuthorizationServerMetadata()
        let isPushing = metadata.pushedAuthorizationRequestEndpoint != nil
        let algorithms = metadata.dpopSigningAlgValuesSupported.map { $0.joined(separator: " ") } ?? "not stated"
        return ((), "PAR \(isPushing ? "offered" : "not offered"), DPoP algorithms \(algorithms)")
    }

    private func signIn(with client: OAuth2Client) async throws -> (OAuthSession, String) {
        let userAgent = SystemBrowser(timeout: .seconds(30), launcher: ReportingLauncher())
        let session = try await client.signIn(
            scopes: request.scopes,
            using: userAgent,
            options: AuthorizationOptions(responseMode: request.responseMode)
        )
        let tokens = try await session.tokenManager.fetch()
        guard tokens.tokenType == (request.acceptsBearer ? .bearer : .dpop) else {
            throw Unexpected(description: "token_type \(tokens.tokenType.rawValue)")
        }
        guard tokens.refreshToken != nil else { throw Unexpected(description: "there is no refresh token") }
        return (session, "token_type \(tokens.tokenType.rawValue), scope '\(tokens.scope)'; " + transport.takeNotes())
    }

    private func call(with session: OAuthSession) async throws -> (Void, String) {
        guard let url = URL(string: request.protectedURL) else { throw Unexpected(description: "not a URL") }
        let (data, response) = try await session.data(for: URLRequest(url: url))
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard status == 200 else {
            throw Unexpected(description: "status \(status): \(String(decoding: data.prefix(200), as: UTF8.self))")
        }
        return ((), transport.takeNotes())
    }

    private func identify(_ session: OAuthSession) async throws -> (Void, String) {
        guard let idToken = try await session.tokenManager.fetch().idToken else {
            throw Unexpected(description: "there is no id_token")
        }
        let algorithm = try CompactJWS(parsing: idToken.rawValue, maximumLength: 16_384).algorithm
        let claims = idToken.claims.object.members.map(\.name).sorted().joined(separator: " ")
        return ((), "\(algorithm), claims \(claims)")
    }

    private func askAboutUser(_ session: OAuthSession) async throws -> (Void, String) {
        let user = try await session.userInfo()
        return ((), "claims " + user.claims.members.map(\.name).sorted().joined(separator: " "))
    }

    /// Waits on the redirect URI of the sign-in, as the page sends the browser back there.
    private func leave(_ session: OAuthSession) async throws -> (Void, String) {
        let receiver = try LoopbackReceiver(redirectURI: request.redirectURI)
        let state = Base64URL.encode(SystemEntropy().bytes(16))
        let url = try await session.endSessionURL(postLogoutRedirectURI: receiver.redirectURI, state: state)
        Report.ask("page that ends the session, redirect back", url)
        _ = try await receiver.callback(state: state, timeout: .seconds(30))
        return ((), "state came back")
    }

    private func refresh(_ session: OAuthSession) async throws -> (Void, String) {
        let before = try await session.tokenManager.fetch()
        let after = try await session.tokenManager.refresh()
        guard after.accessToken != before.accessToken else {
            throw Unexpected(description: "the access token is the old one")
        }
        guard after.tokenType == before.tokenType, after.keyThumbprint == before.keyThumbprint else {
            throw Unexpected(description: "the tokens are of another kind or key")
        }
        let isRotated = after.refreshToken != before.refreshToken
        let idToken = before.idToken.map { $0 == after.idToken ? ", id_token kept" : ", a newer id_token" } ?? ""
        return ((), "refresh token \(isRotated ? "rotated" : "kept")\(idToken); " + transport.takeNotes())
    }

    private func signOut(_ session: OAuthSession) async throws -> (Void, String) {
        if let failure = await session.signOut().failure { throw failure }
        return ((), transport.takeNotes())
    }

    private func step<Result>(
        _ name: String,
        _ body: () async throws -> (Result, String)
    ) async throws -> Result {
        try await Report.step(name, transport, body)
    }
}
