// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import SigningKeys

/// Decides at each step whether tokens are bound, from the configuration, the metadata and the responses of the server.
extension OAuth2Client {
    private var binding: BoundedTokenConfiguration? { configuration.tokenBoundConfiguration.binding }

    /// The key for a new sign-in or grant, made if there is none; `nil` if the tokens will not be bound.
    func contextForGrant() async throws(OAuthClientError) -> DPoPContext? {
        guard let binding, let types = try await offeredTypes(binding) else { return nil }
        try await requireBoundTokens()
        do {
            return try await keyring.context(of: types)
        } catch {
            guard error.keyStoreError?.code == .keyLost else { throw error }
        }
        // A new sign-in repairs a lost key: the tokens that were bound to it are useless.
        try await deleteLostKey()
        return try await keyring.context(of: types)
    }

    /// Holds the refresh lock, so that no process deletes the new key of another.
    private func deleteLostKey() async throws(OAuthClientError) {
        do {
            try await tokenStore.withRefreshLock(on: account) { [keyring] in try await keyring.deleteLostKey() }
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "the tokens cannot be locked")
        }
    }

    /// The types of key that the server accepts; `nil` if the sign-in goes on without a key.
    ///
    /// If the metadata does not say whether DPoP is supported, it is tried; if it does, it is believed.
    private func offeredTypes(_ binding: BoundedTokenConfiguration) async throws(OAuthClientError) -> [KeyPairType]? {
        let types = binding.keyPairTypes
        guard let offered = try await currentMetadata().dpopSigningAlgValuesSupported else { return types }
        let accepted = types.filter { offered.contains($0.algorithm.rawValue) }
        if !accepted.isEmpty { return accepted }
        if offered.isEmpty, binding.fallback.contains(.bearerTokensInsteadOfBoundOnes) { return nil }
        if offered.isEmpty, try await mayGoWithoutOffer(binding) { return nil }
        if offered.isEmpty, try await isHeldToBoundTokens() {
            throw Self.bindingWithdrawn("the server says that it supports no DPoP")
        }
        // Also with a fallback: a server that accepts other algorithms accepts a key of another type.
        throw Self.unsupported("DPoP proofs with \(types.map(\.description).joined(separator: " or "))", offered)
    }

    /// Whether Bearer tokens are accepted for a new grant although bound ones were asked for.
    func acceptsBearerTokens() async throws(OAuthClientError) -> Bool {
        guard let binding else { return false }
        if binding.fallback.contains(.bearerTokensInsteadOfBoundOnes) { return true }
        guard try await currentMetadata().dpopSigningAlgValuesSupported?.isEmpty ?? true else { return false }
        return try await mayGoWithoutOffer(binding)
    }

    /// Whether Bearer tokens are accepted from a refresh: those of a session that has bound ones only by the option for it.
    func acceptsBearerTokens(inPlaceOf tokens: TokenSet) -> Bool {
        guard let binding else { return false }
        if binding.fallback.contains(.bearerTokensInsteadOfBoundOnes) { return true }
        return tokens.tokenType != .dpop && binding.fallback.contains(.bearerTokensWhereBindingIsNotOffered)
    }

    /// Whether a server that does not announce DPoP may give Bearer tokens: not if it has given bound ones.
    private func mayGoWithoutOffer(_ binding: BoundedTokenConfiguration) async throws(OAuthClientError) -> Bool {
        guard binding.fallback.contains(.bearerTokensWhereBindingIsNotOffered) else { return false }
        return try await !hasGivenBoundTokens()
    }

    /// Fails before the user is sent to a server that would answer with Bearer tokens again.
    private func requireBoundTokens() async throws(OAuthClientError) {
        guard try await !acceptsBearerTokens(),
            await context.metadata.answersBearer(at: clock.now())
        else { return }
        if try await isHeldToBoundTokens() {
            throw Self.bindingWithdrawn("the server gave Bearer tokens within the last hour")
        }
        throw OAuthClientError(
            .tokenTypeRejected,
            "the server gave Bearer tokens within the last hour although proofs were sent; see BoundedTokenConfiguration"
        )
    }

    /// Checks the token type of a response (RFC 9449 section 5).
    ///
    /// If the client requested bound tokens and gets others, an attacker may have downgraded it. If it did not request
    /// bound tokens and gets them, it has no key for them.
    ///
    /// - Parameters:
    ///   - type: The type of the tokens.
    ///   - context: What the proof of the request was made with; `nil` if there was none.
    ///   - acceptsBearer: Whether Bearer tokens are accepted nevertheless.
    /// - Throws: ``OAuthClientError/Code/boundTokensNotAskedFor``, ``OAuthClientError/Code/tokenTypeRejected``.
    func requireProtection(
        _ type: TokenType,
        _ context: DPoPContext?,
        acceptsBearer: Bool
    ) throws(OAuthClientError) {
        switch type {
        case .dpop:
            guard context == nil else { return }
            throw OAuthClientError(
                .boundTokensNotAskedFor,
                "the server gave tokens of type DPoP although no proof was sent; they were thrown away"
            )
        case .bearer:
            guard context != nil, !acceptsBearer else { return }
            throw OAuthClientError(
                .tokenTypeRejected,
                "the server gave Bearer tokens, which are not bound to the key; they were thrown away"
            )
        default:
            throw OAuthClientError(.tokenTypeRejected, "the server gave tokens of a type that this client cannot use")
        }
    }

    /// Checks that stored tokens may be used with the current configuration, which may have changed.
    func requireProtection(of tokens: TokenSet) throws(OAuthClientError) {
        guard tokens.tokenType != .dpop, let binding, binding.fallback == .fail else { return }
        throw OAuthClientError(
            .keyMismatch,
            "the session has tokens that are not bound, and this client uses bound ones only; sign in again"
        )
    }

    /// Reports that new tokens are not bound although the configuration prefers bound ones.
    func reportDowngrade(to type: TokenType) {
        if binding != nil, type != .dpop { events.send(.bindingDowngraded) }
    }

    /// The error of a response that is not a success, with its own code if the server requires proofs that this client
    /// does not send.
    static func refusal(by server: String, _ response: HTTPResponse, _ context: DPoPContext?) -> OAuthClientError {
        let error = OAuthClientError(rejectedBy: server, response)
        let verdict = ProofResult(response)
        guard context == nil, verdict.demandsNonce || verdict.refusesProof else { return error }
        return OAuthClientError(
            .tokenBindingRequired,
            "\(server) gives bound tokens only, and this client asked for others; see BoundedTokenConfiguration",
            answer: error.answer,
            underlying: error
        )
    }
}
