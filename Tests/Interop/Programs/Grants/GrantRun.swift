// SPDX-License-Identifier: Apache-2.0

import Glibc
import JOSE
import OAuthClient
import OAuthCore
import Reporting
import StrictJSON

/// Every grant without a browser, a step at a time; what a step throws is its finding.
struct GrantRun: Sendable {
    private struct Unexpected: Error, CustomStringConvertible {
        let description: String
    }

    private let issuer: String
    private let clientID: String
    private let method: ClientAuthenticationMethod
    private let secret: ClientSecret
    private let audience: String
    private let scope: String
    private let userScope: String

    init?(arguments words: [String]) {
        guard words.count == 7 else { return nil }
        (issuer, clientID, audience, scope, userScope) = (words[0], words[1], words[4], words[5], words[6])
        method = ClientAuthenticationMethod(rawValue: words[2])
        secret = ClientSecret(words[3])
    }

    /// Runs every step until one fails.
    ///
    /// - Returns: Whether all passed.
    func run() async -> Bool {
        do {
            var configuration = OAuth2ClientConfiguration.allowingInsecureHTTPOnLoopback
            configuration.clientAuthentication = try authentication()
            configuration.clientAssertionAudience = audience
            let client = try OAuth2Client(issuer: issuer, clientID: clientID, configuration: configuration)
            var issued: TokenSet?
            try await step("client credentials, bound to the key") {
                let tokens = try await client.requestClientCredentialsTokens(scopes: [scope])
                issued = tokens
                return try check(tokens)
            }
            let methods = try await client.fetchAuthorizationServerMetadata().introspectionEndpointAuthMethodsSupported
            let mayIntrospect = methods?.contains(method.rawValue) ?? true
            if mayIntrospect {
                try await step("introspection") { try await introspect(client, issued, signed: false) }
            }
            let tokens = try await signInWithDevice(client)
            if let refreshToken = tokens.refreshToken {
                let newer = try await refresh(client, tokens)
                try await step("revoke") {
                    try await client.revoke(newer.refreshToken ?? refreshToken)
                    return ""
                }
            }
            if mayIntrospect {
                try await step("introspection, signed") { try await introspect(client, issued, signed: true) }
            }
            return true
        } catch {
            return false
        }
    }

    private func authentication() throws -> ClientAuthentication {
        switch method {
        case .clientSecretBasic: return .clientSecretBasic(secret)
        case .clientSecretPost: return .clientSecretPost(secret)
        case .clientSecretJWT:
            return .clientSecretJWT(try ClientSecretKey(secret: Array(secret.value.utf8), algorithm: .hs256))
        default:
            let key = try SoftwareSigningKey()
            let keys = JWKSet([key.publicKey.named("interop", algorithm: .es256)])
            // The script registers it, and says when that is done.
            Report.ask(
                "the public key is registered",
                String(decoding: JSONValue.object(keys.json).encoded(), as: UTF8.self)
            )
            guard readLine() != nil else { throw Unexpected(description: "the key was not registered") }
            return .privateKeyJWT(key, keyID: "interop")
        }
    }

    private func signInWithDevice(_ client: OAuth2Client) async throws -> TokenSet {
        var tokens: TokenSet?
        try await step("sign-in with another device") {
            let authorization = try await client.startDeviceAuthorization(scopes: [userScope])
            Report.ask("the user types the code on another device", authorization.userCode)
            guard readLine() != nil else { throw Unexpected(description: "the user did not") }
            let granted = try await client.completeDeviceAuthorization(authorization)
            tokens = granted
            return try check(granted)
        }
        guard let tokens else { throw Unexpected(description: "there are no tokens") }
        return tokens
    }

    private func refresh(_ client: OAuth2Client, _ tokens: TokenSet) async throws -> TokenSet {
        var newer = tokens
        try await step("refresh") {
            newer = try await client.refreshAccessToken(tokens)
            return try check(newer)
        }
        return newer
    }

    private func introspect(_ client: OAuth2Client, _ tokens: TokenSet?, signed: Bool) async throws -> String {
        guard let tokens else { throw Unexpected(description: "there are no tokens") }
        let answer = try await client.introspect(tokens.accessToken, signed: signed)
        guard answer.isActive, answer.keyThumbprint.map({ $0 == tokens.keyThumbprint }) ?? true else {
            throw Unexpected(description: "active \(answer.isActive), bound to another key")
        }
        let unknown = try await client.introspect(RefreshToken("unknown"), signed: signed)
        guard !unknown.isActive else { throw Unexpected(description: "an unknown token is active") }
        let binding = answer.keyThumbprint == nil ? "no cnf.jkt" : "cnf.jkt is the key"
        return "active, \(binding), scope '\(answer.scope ?? .empty)'; an unknown token is not"
    }

    private func check(_ tokens: TokenSet) throws -> String {
        guard tokens.tokenType == .dpop else { throw Unexpected(description: "token_type \(tokens.tokenType)") }
        let user = tokens.idToken == nil ? "no id_token" : "id_token validated"
        return "token_type \(tokens.tokenType), scope '\(tokens.scope)', \(user)"
    }

    private func step(_ name: String, _ body: () async throws -> String) async throws {
        do {
            Report.step(name, passed: true, note: try await body())
        } catch {
            Report.step(
                name,
                passed: false,
                note: "\(error); \((error as? OAuthClientError)?.answer?.errorDescription ?? "")"
            )
            throw error
        }
    }
}
