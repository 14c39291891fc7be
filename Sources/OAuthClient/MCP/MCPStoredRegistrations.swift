// SPDX-License-Identifier: Apache-2.0

import OAuthCore
package import OAuthSystem
import StrictJSON

/// The registrations that an app made by itself, as they are stored: one for each issuer, for one redirect URI; and those with a
/// secret that it replaced, for the sessions that still need them.
package struct MCPStoredRegistrations: Sendable {
    private static let redirectURIMember = "keybound_redirect_uri"
    private static let noResponseMember = "keybound_no_response"
    private static let unusedMember = "keybound_unused"

    /// A registration as it is stored.
    struct Entry {
        let registration: ClientRegistration
        /// The redirect URI that it has.
        let redirectURI: String
        /// Whether a sign-in with it got no response: the server may have lost it.
        var gotNoResponse = false
        /// Whether no sign-in with it has succeeded yet, so that no session needs it.
        var isUnused = false
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
        if record.authenticationMethod == ClientAuthenticationMethod.none { return ClientAuthentication.none }
        let former = try await entry(stored: Self.formerKey(record.clientID, record.issuer))?.registration
        guard let former, former.clientID.isIdentical(to: record.clientID) else { return nil }
        return try former.authentication()
    }

    /// The registration at a server, unless its secret has expired.
    func entry(at issuer: String) async throws(OAuthClientError) -> Entry? {
        try await entry(stored: key(issuer))
    }

    private func entry(stored key: String) async throws(OAuthClientError) -> Entry? {
        let record: JSONObject?
        do {
            record = try await store.record(key)
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "what is known of the server cannot be read")
        }
        guard var record, let redirectURI = record[Self.redirectURIMember]?.stringValue else { return nil }
        let gotNoResponse = record[Self.noResponseMember]?.boolValue == true
        let isUnused = record[Self.unusedMember]?.boolValue == true
        for member in [Self.redirectURIMember, Self.noResponseMember, Self.unusedMember] { record[member] = nil }
        guard let registration = try? ClientRegistration(parsing: record) else { return nil }
        if let end = registration.secretExpiresAt, end <= clock.now(), Self.usesSecret(registration) { return nil }
        return Entry(
            registration: registration,
            redirectURI: redirectURI,
            gotNoResponse: gotNoResponse,
            isUnused: isUnused
        )
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

    /// Notes that a sign-in with a registration succeeded: so the server has not lost it, and a session needs it.
    func noteSuccess(of clientID: String, at issuer: String) async throws(OAuthClientError) {
        guard var known = try await entry(at: issuer), known.registration.clientID.isIdentical(to: clientID),
            known.gotNoResponse || known.isUnused
        else { return }
        (known.gotNoResponse, known.isUnused) = (false, false)
        try await save(known, at: issuer)
    }

    /// Stores a registration.
    ///
    /// The user may not sign in with it. So one that it replaces is kept if a session needs its secret, until
    /// ``forgetFormer(_:at:)``.
    func save(_ entry: Entry, at issuer: String) async throws(OAuthClientError) {
        if let known = try await self.entry(at: issuer), !known.isUnused, Self.usesSecret(known.registration),
            !known.registration.clientID.isIdentical(to: entry.registration.clientID)
        {
            try await save(known, as: Self.formerKey(known.registration.clientID, issuer))
        }
        try await save(entry, as: key(issuer))
    }

    private func save(_ entry: Entry, as key: String) async throws(OAuthClientError) {
        var record = entry.registration.json
        record[Self.redirectURIMember] = .string(entry.redirectURI)
        record[Self.noResponseMember] = entry.gotNoResponse ? .bool(true) : nil
        record[Self.unusedMember] = entry.isUnused ? .bool(true) : nil
        do {
            try await store.save(record, for: key)
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "the registration cannot be stored")
        }
    }

    /// Deletes a registration that another one has replaced, with its secret.
    func forgetFormer(_ clientID: String, at issuer: String) async throws(OAuthClientError) {
        do {
            try await store.save(nil, for: Self.formerKey(clientID, issuer))
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "the former registration cannot be deleted")
        }
    }

    /// Credentials belong to one issuer, and a registration to its redirect URI.
    private func key(_ issuer: String) -> String {
        "client \(issuer) \(redirectURI)"
    }

    /// The identifier of a client is unique at its issuer (RFC 6749 section 2.2).
    private static func formerKey(_ clientID: String, _ issuer: String) -> String {
        "former \(issuer) \(clientID)"
    }
}
