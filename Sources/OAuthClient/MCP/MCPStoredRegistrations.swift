// SPDX-License-Identifier: Apache-2.0

import OAuthCore
package import OAuthSystem
import StrictJSON

/// The registrations that an app made by itself, as they are stored: one for each issuer, for one redirect URI.
package struct MCPStoredRegistrations: Sendable {
    private static let redirectURIMember = "keybound_redirect_uri"

    /// The redirect URI that the app asks for; the registration may have its other loopback form.
    private let redirectURI: String
    private let store: any MCPStateStore
    private let clock: any WallClock

    /// - Parameters:
    ///   - redirectURI: The redirect URI that the app asks for.
    ///   - store: Where they are.
    ///   - clock: The wall clock, for secrets that expire.
    package init(for redirectURI: String, in store: any MCPStateStore, clock: any WallClock) {
        self.redirectURI = redirectURI
        self.store = store
        self.clock = clock
    }

    /// How the app authenticates if it registered itself there.
    ///
    /// - Parameter issuer: The authorization server.
    /// - Returns: The method with its secret; ``ClientAuthentication/none`` if nothing is stored, or the secret has expired.
    /// - Throws: ``OAuthClientError`` with the code `storageFailed`.
    package func authentication(at issuer: String) async throws(OAuthClientError) -> ClientAuthentication {
        try await registration(at: issuer)?.0.authentication() ?? .none
    }

    /// How the client of a session authenticates that registered itself.
    ///
    /// - Returns: `nil` if its registration is not stored any more, or its secret has expired: such a client gets no tokens. A
    ///   public client needs nothing of its registration, in whose place another one may be, or none for the redirect URI.
    func authentication(of record: MCPServerRecord) async throws(OAuthClientError) -> ClientAuthentication? {
        if let known = try await registration(at: record.issuer)?.0, known.clientID.isIdentical(to: record.clientID) {
            return try known.authentication()
        }
        guard record.authenticationMethod == ClientAuthenticationMethod.none else { return nil }
        return ClientAuthentication.none
    }

    /// A registration with the redirect URI that it has, unless its secret has expired.
    func registration(at issuer: String) async throws(OAuthClientError) -> (ClientRegistration, redirectURI: String)? {
        let record: JSONObject?
        do {
            record = try await store.record(key(issuer))
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "what is known of the server cannot be read")
        }
        guard var record, let redirectURI = record[Self.redirectURIMember]?.stringValue else { return nil }
        record[Self.redirectURIMember] = nil
        guard let registration = try? ClientRegistration(parsing: record) else { return nil }
        if let end = registration.secretExpiresAt, end <= clock.now(), Self.usesSecret(registration) { return nil }
        return (registration, redirectURI)
    }

    /// Only a secret expires (`client_secret_expires_at`, RFC 7591 section 3.2.1): a public client has none.
    private static func usesSecret(_ registration: ClientRegistration) -> Bool {
        registration.metadata.tokenEndpointAuthMethod != ClientAuthenticationMethod.none
    }

    /// Stores a registration with the redirect URI that it has.
    func save(
        _ registration: ClientRegistration,
        redirectURI: String,
        at issuer: String
    ) async throws(OAuthClientError) {
        var record = registration.json
        record[Self.redirectURIMember] = .string(redirectURI)
        try await save(record, at: issuer)
    }

    private func save(_ record: JSONObject, at issuer: String) async throws(OAuthClientError) {
        do {
            try await store.save(record, for: key(issuer))
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "the registration cannot be stored")
        }
    }

    /// Credentials belong to one issuer, and a registration to its redirect URI.
    private func key(_ issuer: String) -> String {
        "client \(issuer) \(redirectURI)"
    }
}
