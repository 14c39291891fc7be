// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import OAuthTransport
import Reporting

/// A client that shows a certificate, a step at a time; what a step throws is its finding.
struct CertificateRun: Sendable {
    private struct Unexpected: Error, CustomStringConvertible {
        let description: String
    }

    /// What the script says.
    private struct Assignment: Sendable {
        let issuer: String
        let api: URL
        let authorities: String
        let certificate: String
        let key: String
        /// Another certificate, which the server knows as somebody else's or not at all.
        let strangeCertificate: String
        let strangeKey: String
    }

    private let task: Assignment
    private let method: ClientAuthentication

    init?(arguments words: [String]) {
        guard words.count == 8, let api = URL(string: words[2]) else { return nil }
        method = words[0] == "tls_client_auth" ? .tlsClientAuth : .selfSignedTLSClientAuth
        task = Assignment(
            issuer: words[1],
            api: api,
            authorities: words[3],
            certificate: words[4],
            key: words[5],
            strangeCertificate: words[6],
            strangeKey: words[7]
        )
    }

    /// Runs every step until one fails.
    ///
    /// - Returns: Whether all passed.
    func run() async -> Bool {
        do {
            try await withoutCertificate()
            let session = try await signIn()
            try await use(session)
            try await bindToKeyToo()
            try await withStrangeCertificate()
            try await step("sign-out revokes at the alias") {
                if let failure = await session.signOut().failure { throw failure }
                return ""
            }
            return true
        } catch {
            return false
        }
    }

    private var ours: CurlTransport {
        get throws { try transport(task.certificate, task.key) }
    }

    private var strange: CurlTransport {
        get throws { try transport(task.strangeCertificate, task.strangeKey) }
    }

    /// A transport that shows the certificate of a file, or nothing.
    private func transport(_ certificate: String? = nil, _ key: String? = nil) throws -> CurlTransport {
        var configuration = CurlTransportConfiguration()
        configuration.certificateAuthorityFile = task.authorities
        if let certificate, let key {
            configuration.clientCertificate = ClientCertificate(
                certificate: [UInt8](try Data(contentsOf: URL(filePath: certificate))),
                privateKey: [UInt8](try Data(contentsOf: URL(filePath: key)))
            )
        }
        return CurlTransport(configuration)
    }

    /// A client by the rules of FAPI 2.0, whose tokens are bound to its certificate.
    private func client(_ transport: any ClientTransport) throws -> OAuth2Client {
        var configuration = OAuth2ClientConfiguration.fapi2
        configuration.clientAuthentication = method
        configuration.tokenBoundConfiguration = UnboundedTokenConfiguration()
        return try OAuth2Client(
            issuer: task.issuer,
            clientID: "service",
            redirectURI: "https://service.example/callback",
            configuration: configuration,
            transport: transport
        )
    }

    private func withoutCertificate() async throws {
        let transport = try transport()
        try await step("without a certificate the server takes nobody") {
            let metadata = try await client(transport).fetchAuthorizationServerMetadata()
            guard let alias = metadata.mtlsEndpointAliases["token_endpoint"] else {
                throw Unexpected(description: "there is no alias")
            }
            let request = HTTPRequest(method: "POST", target: alias.description)
            let response = try await transport.send(request, maximumBodySize: 65_536)
            guard response.status == 400 || response.status == 401 else {
                throw Unexpected(description: "status \(response.status)")
            }
            return "status \(response.status)"
        }
        try await step("with a transport that presents none nothing is sent") {
            let client = try client(transport)
            return try await refused(.clientCertificateMissing) {
                _ = try await client.initiateAuthorization(scopes: ["a"])
            }
        }
    }

    private func signIn() async throws -> OAuthSession {
        let client = try client(try ours)
        var signedIn: OAuthSession?
        try await step("FAPI 2.0: pushed request, code and tokens at the aliases") {
            let session = try await client.signIn(scopes: ["a"], using: AskedUser())
            signedIn = session
            return "token_type \(try await session.tokenManager.fetch().tokenType)"
        }
        guard let signedIn else { throw Unexpected(description: "there is no session") }
        return signedIn
    }

    private func use(_ session: OAuthSession) async throws {
        try await step("the API answers over a connection with the certificate") {
            let (data, response) = try await session.data(for: URLRequest(url: task.api))
            guard (response as? HTTPURLResponse)?.statusCode == 200 else {
                throw Unexpected(description: String(decoding: data.prefix(200), as: UTF8.self))
            }
            return String(decoding: data, as: UTF8.self)
        }
        try await step("with another certificate the token is worth nothing") {
            let tokens = try await session.tokenManager.fetch()
            // Without the refresh token, or else the client would try that too.
            let stolen = TokenSet(
                accessToken: tokens.accessToken,
                tokenType: tokens.tokenType,
                expiresAt: nil,
                refreshToken: nil,
                scope: tokens.scope,
                keyThumbprint: nil
            )
            let thief = try await client(try strange).startSession(with: stolen)
            let status = (try await thief.data(for: URLRequest(url: task.api)).1 as? HTTPURLResponse)?.statusCode
            guard status == 401 || status == 400 else { throw Unexpected(description: "status \(status ?? 0)") }
            return "status \(status ?? 0)"
        }
        try await step("refresh") {
            let before = try await session.tokenManager.fetch()
            let after = try await session.tokenManager.refresh()
            guard before.accessToken != after.accessToken else { throw Unexpected(description: "the old token") }
            return ""
        }
    }

    private func bindToKeyToo() async throws {
        try await step("client credentials with the certificate, bound to a key with DPoP") {
            var configuration = OAuth2ClientConfiguration()
            configuration.clientAuthentication = method
            let client = try OAuth2Client(
                issuer: task.issuer,
                clientID: "service",
                configuration: configuration,
                transport: try ours
            )
            let tokens = try await client.requestClientCredentialsTokens(scopes: ["a"])
            guard tokens.tokenType == .dpop else { throw Unexpected(description: "token_type \(tokens.tokenType)") }
            return ""
        }
    }

    private func withStrangeCertificate() async throws {
        try await step("another certificate is refused") {
            let client = try client(try strange)
            do {
                _ = try await client.initiateAuthorization(scopes: ["a"])
            } catch let error as OAuthClientError {
                // The server says invalid_client; nginx, which knows nothing of OAuth, a page.
                guard error.code == .malformedResponse || error.answer?.error == .invalidClient else { throw error }
                return "\(error.code), status \(error.status ?? 0)"
            }
            throw Unexpected(description: "it was taken")
        }
    }

    private func refused(_ code: OAuthClientError.Code, _ body: () async throws -> Void) async throws -> String {
        do {
            try await body()
        } catch let error as OAuthClientError {
            guard error.code == code else { throw error }
            return "\(code)"
        }
        throw Unexpected(description: "nothing was refused")
    }

    private func step(_ name: String, _ body: () async throws -> String) async throws {
        do {
            Report.step(name, passed: true, note: try await body())
        } catch {
            Report.step(name, passed: false, note: "\(error)")
            throw error
        }
    }
}

/// A user at whose browser the script sits.
private struct AskedUser: UserAgent {
    func authorize(
        redirectURI: String,
        _ makeRequest: @Sendable (String) async throws -> AuthorizationRequest
    ) async throws -> AuthorizationCallback {
        Report.ask("the user says yes", try await makeRequest(redirectURI).url)
        guard let callback = readLine() else { throw OAuthClientError(.userAgentFailed, "the user did not") }
        return AuthorizationCallback(url: callback)
    }
}
