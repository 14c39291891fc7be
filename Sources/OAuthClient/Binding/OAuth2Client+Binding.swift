// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthCore
import SigningKeys

/// Whether tokens are bound, at each step: what the client is set to, against what the server says and answers.
extension OAuth2Client {
    private var binding: BoundedTokenConfiguration? { configuration.tokenBoundConfiguration.binding }

    /// The key for a new sign-in or grant, made when there is none; `nil` when what is asked for is not bound.
    func contextForGrant() async throws(OAuthClientError) -> DPoPContext? {
        guard let binding, try await isBindingOffered(binding) else { return nil }
        do {
            return try await keyring.context()
        } catch {
            guard error.keyStoreError?.code == .keyLost else { throw error }
        }
        // A new sign-in is what mends a lost key: the tokens that were bound to it are of no use.
        try await deleteLostKey()
        return try await keyring.context()
    }

    /// Only one process at a time: or else one would delete the new key of another.
    private func deleteLostKey() async throws(OAuthClientError) {
        do {
            try await tokenStore.withRefreshLock(on: account) { [keyring] in try await keyring.deleteLostKey() }
        } catch {
            throw OAuthClientError(error, otherwise: .storageFailed, "the tokens cannot be locked")
        }
    }

    /// What metadata does not say is tried; what it says is believed.
    private func isBindingOffered(_ binding: BoundedTokenConfiguration) async throws(OAuthClientError) -> Bool {
        guard let offered = try await currentMetadata().dpopSigningAlgValuesSupported else { return true }
        if offered.contains(binding.keyPairType.algorithm.rawValue) { return true }
        if offered.isEmpty, binding.fallback.contains(.bearerTokensInsteadOfBoundOnes) { return false }
        // Also with a fallback: a server that takes other proofs takes a key of another type.
        throw Self.unsupported("DPoP proofs with \(binding.keyPairType)", offered)
    }

    /// Checks that an answer gives what was asked for (RFC 9449 section 5): a client that asked for bound tokens and gets
    /// others may have been talked down, and bound tokens that it did not ask for are bound to nothing that it has.
    func requireProtection(_ type: TokenType, _ context: DPoPContext?) throws(OAuthClientError) {
        switch type {
        case .dpop:
            guard context == nil else { return }
            throw OAuthClientError(
                .boundTokensNotAskedFor,
                "the server gave tokens of type DPoP although no proof was sent; they were thrown away"
            )
        case .bearer:
            guard context != nil, binding?.fallback.contains(.bearerTokensInsteadOfBoundOnes) != true else { return }
            throw OAuthClientError(
                .tokenTypeRejected,
                "the server gave Bearer tokens, which are not bound to the key; they were thrown away"
            )
        default:
            throw OAuthClientError(.tokenTypeRejected, "the server gave tokens of a type that this client cannot use")
        }
    }

    /// Checks that tokens which were stored are those that this client may use: it may be set to something else now.
    func requireProtection(of tokens: TokenSet) throws(OAuthClientError) {
        guard tokens.tokenType != .dpop, let binding, binding.fallback == .fail else { return }
        throw OAuthClientError(
            .keyMismatch,
            "the session has tokens that are not bound, and this client uses bound ones only; sign in again"
        )
    }

    /// Tells the listeners when new tokens are not bound although that was the wish.
    func reportDowngrade(to type: TokenType) {
        if binding != nil, type != .dpop { events.send(.bindingDowngraded) }
    }

    /// The error of an answer that is not a success; a demand for proofs that this client does not send has its own.
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
