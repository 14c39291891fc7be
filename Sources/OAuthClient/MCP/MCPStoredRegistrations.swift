// SPDX-License-Identifier: Apache-2.0

import OAuthCore
package import OAuthSystem
import StrictJSON

/// The registrations that an app made by itself, as they are stored: one for each issuer, for one redirect URI.
package struct MCPStoredRegistrations: Sendable {
    private static let redirectURIMember = "keybound_redirect_uri"
    private static let noResponseMember = "keybound_no_response"

    /// A registration as it is stored.
    struct Entry {
        let registration: ClientRegistration
        /// The redirect URI that it has.
        let redirectURI: String
        /// Whether a sign-in with it got no response: the server may have lost it.
        var gotNoResponse = false
    }

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
        try await entry(at: issuer)?.registration.authentication() ?? .none
    }

    /// How the client of a session authenticates that registered itself.
    ///
    /// - Returns: `nil` if its registration is not stored any more, or its secret has expired: such a client gets no tokens. A
    ///   public client needs nothing of its registration, in whose place another one may be, or none for the redirect URI.
    func authentication(of record: MCPServerRecord) async throws(OAuthClientError) -> ClientAuthentication? {
        let known = try await entry(at: record.issuer)?.registration
        if let known, known.clientID.isIdentical(to: record.clientID) { return try known.authentication() }
        guard record.authenticationMethod == ClientAuthenticationMethod.none else { return nil }
        return ClientAuthentication.none
    }

    /// The registration at a server, unless its secret has expired.
    func entry(at issuer: String) async throws(OAuthClientError) -> Entry? {
        let record: JSONObject?
        do {
            record = try await store.record(key(issuer))
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "what is known of the server cannot be read")
        }
        guard var record, let redirectURI = record[Self.redirectURIMember]?.stringValue else { return nil }
        let gotNoResponse = record[Self.noResponseMember]?.boolValue == true
        record[Self.redirectURIMember] = nil
        record[Self.noResponseMember] = nil
        guard let registration = try? ClientRegistration(parsing: record) else { return nil }
        if let end = registration.secretExpiresAt, end <= clock.now(), Self.usesSecret(registration) { return nil }
        return Entry(registration: registration, redirectURI: redirectURI, gotNoResponse: gotNoResponse)
    }

    /// Only a secret expires (`client_secret_expires_at`, RFC 7591 section 3.2.1): a public client has none.
    private static func usesSecret(_ registration: ClientRegistration) -> Bool {
        registration.metadata.tokenEndpointAuthMethod != ClientAuthenticationMethod.none
    }

    /// Notes that a sign-in with a registration got no response, unless another one has taken its place.
    ///
    /// The registration stays, for the sessions that need it; the next sign-in registers again.
    func noteNoResponse(to clientID: String, at issuer: String) async throws(OAuthClientError) {
        guard var known = try await entry(at: issuer), known.registration.clientID.isIdentical(to: clientID) else {
            return
        }
        known.gotNoResponse = true
        try await save(known, at: issuer)
    }

    /// Notes that a sign-in with a registration succeeded: so the server has not lost it.
    func noteSuccess(of clientID: String, at issuer: String) async throws(OAuthClientError) {
        guard var known = try await entry(at: issuer), known.registration.clientID.isIdentical(to: clientID),
            known.gotNoResponse
        else { return }
        known.gotNoResponse = false
        try await save(known, at: issuer)
    }

    /// Stores a registration.
    func save(_ entry: Entry, at issuer: String) async throws(OAuthClientError) {
        var record = entry.registration.json
        record[Self.redirectURIMember] = .string(entry.redirectURI)
        record[Self.noResponseMember] = entry.gotNoResponse ? .bool(true) : nil
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
