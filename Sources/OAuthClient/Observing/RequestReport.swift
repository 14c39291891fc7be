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

    /// Who was asked.
    public let recipient: Recipient
    /// The method, such as `POST`.
    public let method: String
    /// Scheme, host and port.
    public let origin: String
    /// The status of the response; `nil` if there was none.
    public let status: Int?
    /// Why there was no response; `nil` if there was one.
    public let failure: OAuthCoreError.Code?
    /// How long it took: to the end of the response, or to its head where the body is a stream.
    public let duration: Duration

    /// One line for a log: `POST https://auth.example 200 in 0.052 seconds (authorizationServer)`.
    public var description: String {
        let outcome = status.map(String.init) ?? failure?.rawValue ?? "failed"
        return "\(method) \(origin) \(outcome) in \(duration) (\(recipient.rawValue))"
    }
}
