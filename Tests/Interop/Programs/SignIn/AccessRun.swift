// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import Reporting
import StrictJSON

/// Resources and authorization details: one sign-in for two APIs, access tokens for one of them at a time.
struct AccessRun: Sendable {
    private struct Unexpected: Error, CustomStringConvertible {
        let description: String
    }

    private static let resources = ["https://one.example/", "https://two.example/"]
    private static var detail: AuthorizationDetail {
        var detail = AuthorizationDetail(type: "notes")
        detail.locations = ["https://one.example/"]
        detail.actions = ["read"]
        return detail
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
            let client = try OAuth2Client(
                issuer: request.issuer,
                clientID: request.clientID,
                redirectURI: request.redirectURI,
                configuration: .allowingInsecureHTTPOnLoopback,
                transport: transport
            )
            let response = try await step("sign-in for two resources, with authorization details") {
                try await signIn(with: client)
            }
            let session = try await step("the code brings an access token for one resource") {
                try await exchange(response, with: client)
            }
            try await step("the details that were granted are in the answer") { try await checkDetails(of: session) }
            try await step("the refresh token brings one for the other resource") { try await fetchOther(session) }
            try await step("a resource that was not granted is refused with invalid_target") {
                try await fetchForbidden(session)
            }
            try await step("the session keeps its own resource over a refresh") { try await refresh(session) }
            return true
        } catch {
            return false
        }
    }

    private func signIn(with client: OAuth2Client) async throws -> (AuthorizationResponse, String) {
        var options = AuthorizationOptions()
        options.resources = Self.resources
        options.authorizationDetails = [Self.detail]
        let userAgent = SystemBrowser(timeout: .seconds(30), launcher: ReportingLauncher())
        let (scopes, made) = (request.scopes, options)
        let callback = try await userAgent.authorize(redirectURI: request.redirectURI) { redirectURI in
            try await client.initiateAuthorization(scopes: scopes, redirectURI: redirectURI, options: made)
        }
        return (try await client.parseAuthorizationResponse(callback), transport.takeNotes())
    }

    private func exchange(
        _ response: AuthorizationResponse,
        with client: OAuth2Client
    ) async throws -> (OAuthSession, String) {
        let tokens = try await client.exchangeAuthorizationCode(response, resources: [Self.resources[0]])
        try check(tokens, isFor: Self.resources[0])
        return (try await client.startSession(with: tokens), transport.takeNotes())
    }

    private func checkDetails(of session: OAuthSession) async throws -> (Void, String) {
        let granted = try await session.tokenManager.fetch().authorizationDetails ?? []
        guard granted.contains(where: { $0.type == Self.detail.type && $0.actions == Self.detail.actions }) else {
            throw Unexpected(description: "granted were \(granted.map(\.type))")
        }
        return ((), "")
    }

    private func fetchOther(_ session: OAuthSession) async throws -> (Void, String) {
        let tokens = try await session.tokenManager.fetch(resources: [Self.resources[1]])
        try check(tokens, isFor: Self.resources[1])
        return ((), transport.takeNotes())
    }

    private func fetchForbidden(_ session: OAuthSession) async throws -> (Void, String) {
        do {
            _ = try await session.tokenManager.fetch(resources: ["https://three.example/"])
        } catch {
            guard error.answer?.error == .invalidTarget else { throw error }
            return ((), transport.takeNotes())
        }
        throw Unexpected(description: "there was a token for it")
    }

    private func refresh(_ session: OAuthSession) async throws -> (Void, String) {
        try check(try await session.tokenManager.refresh(), isFor: Self.resources[0])
        return ((), transport.takeNotes())
    }

    private func check(_ tokens: TokenSet, isFor resource: String) throws {
        let audience = try CompactJWS(parsing: tokens.accessToken.value).payloadObject()["aud"]
        guard audience == .string(resource) || audience == .strings([resource]) else {
            throw Unexpected(description: "the access token is for \(audience.map { "\($0)" } ?? "nobody")")
        }
    }

    private func step<Result>(
        _ name: String,
        _ body: () async throws -> (Result, String)
    ) async throws -> Result {
        try await Report.step(name, transport, body)
    }
}
