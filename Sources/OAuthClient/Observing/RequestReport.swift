// SPDX-License-Identifier: Apache-2.0

public import OAuthCore

/// One request of a client, without anything that it contained.
public struct RequestReport: Sendable, Hashable, CustomStringConvertible {
    /// Who was asked.
    public enum Recipient: String, Sendable, Hashable {
        /// The authorization server: metadata, keys, tokens, and what else the protocol asks it.
        case authorizationServer
        /// An API, with the tokens of a session.
        case api
    }

    /// What a request is for.
    public enum Purpose: String, Sendable, Hashable, CaseIterable {
        /// The metadata of the server (RFC 8414), or of an API (RFC 9728).
        case metadata
        /// The keys that the server signs with.
        case keys
        /// A pushed authorization request (RFC 9126).
        case pushedAuthorization
        /// A step of a sign-in without a browser.
        case authorizationChallenge
        /// The start of a sign-in with another device (RFC 8628).
        case deviceAuthorization
        /// Tokens; see ``RequestReport/grantType``.
        case token
        /// The revocation of a token (RFC 7009).
        case revocation
        /// A question about a token (RFC 7662).
        case introspection
        /// The registration of a client (RFC 7591).
        case registration
        /// The claims about the user.
        case userInfo
        /// A call to an API.
        case api
    }

    /// Why a request was sent again.
    public enum RetryReason: String, Sendable, Hashable, CaseIterable {
        /// The server demands a nonce in the proof.
        case nonce
        /// The clock of this device was wrong.
        case clock
        /// The server calls the attestation of this copy of the app too old.
        case attestation
        /// The API rejected the access token, and there is a new one.
        case token
        /// The connection failed, or the server was not available.
        case unavailable
    }

    /// What the request was for.
    public let purpose: Purpose
    /// `grant_type` of a request for tokens, such as `refresh_token`; `nil` for other requests.
    public let grantType: String?
    /// The method, such as `POST`.
    public let method: String
    /// Scheme, host and port.
    public let origin: String
    /// How often the request was sent, counting this time.
    public let attempt: Int
    /// Why it was sent again; `nil` for the first attempt.
    public let retryReason: RetryReason?
    /// The status of the response; `nil` if there was none.
    public let status: Int?
    /// Why there was no response; `nil` if there was one.
    public let failure: OAuthCoreError.Code?
    /// How long it took: to the end of the response, or to its head where the body is a stream.
    public let duration: Duration

    /// Who was asked.
    public var recipient: Recipient { purpose == .api ? .api : .authorizationServer }

    /// One line for a log: `POST https://auth.example 200 in 0.052 seconds (token refresh_token, attempt 2: nonce)`.
    public var description: String {
        let outcome = status.map(String.init) ?? failure?.rawValue ?? "failed"
        var about = purpose.rawValue
        if let grantType { about += " \(grantType)" }
        if let retryReason { about += ", attempt \(attempt): \(retryReason.rawValue)" }
        return "\(method) \(origin) \(outcome) in \(duration) (\(about))"
    }
}
