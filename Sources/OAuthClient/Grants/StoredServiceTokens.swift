// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthCrypto
import OAuthSystem
import StrictJSON

/// The tokens of a service in the token store of its client (RFC 6749 section 4.4).
///
/// Processes that share the store share the tokens: the first one that finds them expired requests new ones.
struct StoredServiceTokens: Sendable {
    let client: OAuth2Client
    let scopes: [String]
    let resources: [String]
    let authorizationDetails: [AuthorizationDetail]

    /// How a session renews the tokens.
    var renewal: TokenRenewal {
        TokenRenewal(isStored: true) { (tokens: TokenSet?, other: [String]?) async throws(OAuthClientError) in
            if let other { return TokenRenewal.Renewed(tokens: try await request(other, session: nil)) }
            return try await renew(tokens)
        }
    }

    /// Requests tokens, and stores them in place of any others.
    func start() async throws(OAuthClientError) -> TokenSet {
        // If the caller gives up, the tokens are stored, and the next start has them.
        try await Uncancelled.run { () async throws(OAuthClientError) in
            let new = try await request(resources, session: newName)
            try await client.save(new)
            return new
        }
    }

    /// The stored tokens, expired or not; `nil` if there are none, or they are for something else.
    private func load() async throws(OAuthClientError) -> TokenSet? {
        guard let stored = try await client.storedTokens(), isOwn(stored) else { return nil }
        return stored
    }

    /// Requests tokens in place of others, unless another process has just done so.
    private func renew(_ tokens: TokenSet?) async throws(OAuthClientError) -> TokenRenewal.Renewed {
        do {
            return try await client.tokenStore.withRefreshLock(on: client.account) {
                guard let stored = try await load() else { throw Self.ended }
                let isNewer = stored.accessToken != tokens?.accessToken && !stored.isExpired(at: client.clock.now())
                if isNewer, await canUse(stored) { return TokenRenewal.Renewed(tokens: stored, isAdopted: true) }
                return try await replace(stored, with: request(resources, session: stored.record.session))
            }
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "the tokens cannot be read or locked")
        }
    }

    /// Stores tokens in place of those that they renew, unless a sign-out came first: then they are revoked.
    ///
    /// They are revoked too if another process has started a session meanwhile whose tokens this one can use.
    private func replace(_ stored: TokenSet, with new: TokenSet) async throws -> TokenRenewal.Renewed {
        let session = stored.record.session
        do {
            try await client.noteBinding(of: new)
            let change = try await client.change({ isOwn($0) && $0.record.session == session }, to: { _ in new })
            guard case .refused(let found) = change else { return TokenRenewal.Renewed(tokens: new) }
            guard let newest = found, isOwn(newest) else { throw Self.ended }
            guard await canUse(newest) else {
                return try await replace(newest, with: new.noting { $0.session = newest.record.session })
            }
            await client.discard(new)
            return TokenRenewal.Renewed(tokens: newest, isAdopted: true)
        } catch {
            await client.discard(new)
            throw error
        }
    }

    private func request(_ resources: [String], session: String?) async throws(OAuthClientError) -> TokenSet {
        let tokens = try await client.requestClientCredentialsTokens(
            scopes: scopes,
            resources: resources,
            authorizationDetails: authorizationDetails
        )
        // RFC 6749 section 4.4.3: there should be no refresh token, and none is used.
        return tokens.with(nil as RefreshToken?).noting { $0.session = session }
    }

    /// Whether stored tokens are for the same scopes and resources, of whichever start, and no sign-out has ended them.
    func isOwn(_ stored: TokenSet) -> Bool {
        guard !stored.isEnded, let session = stored.record.session else { return false }
        // Earlier versions stored the purpose alone.
        return String(session.prefix { $0 != Self.separator }) == purpose
    }

    /// Whether stored tokens are of use to this process: not if they are bound to a key that only another one has
    /// (RFC 9449 section 5).
    private func canUse(_ stored: TokenSet) async -> Bool {
        guard let thumbprint = stored.keyThumbprint else { return true }
        return await !client.keyring.isDeleted(thumbprint)
    }

    /// The name of a new session: what it is for, and which start it comes from.
    ///
    /// A sign-out ends the session of that name only. One that waits for the network must leave alone the tokens and the
    /// key of the next start, which are for the same scopes.
    private var newName: String {
        purpose + String(Self.separator) + Base64URL.encode(client.entropy.bytes(16))
    }

    /// What is requested, as a hash: tokens of a user, or for other scopes, have another one.
    private var purpose: String {
        let asked = JSONValue.array([
            .strings(scopes.sorted()), .strings(resources.sorted()),
            .array(authorizationDetails.map { .object($0.json) }),
        ])
        return Base64URL.encode(Array(SHA256.hash(asked.encoded()).bytes.prefix(16)))
    }

    /// Not a character of base64url.
    private static let separator: Character = "."

    private static var ended: OAuthClientError {
        OAuthClientError(.sessionEnded, "the client was signed out; start its session again")
    }
}
