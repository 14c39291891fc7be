// SPDX-License-Identifier: Apache-2.0

/// What a client does, for logs and metrics; see ``OAuth2ClientConfiguration/observer``.
///
/// No event has a secret, nor anything that identifies a user: no token, code, key, subject or account, no path, query,
/// field or body of a request. So any log may have it.
public enum ClientEvent: Sendable, Hashable, CustomStringConvertible {
    /// A request was answered, or failed.
    case requestEnded(RequestReport)
    /// Something happened to the session or its key.
    case session(SessionEvent)

    /// One line for a log.
    public var description: String {
        switch self {
        case .requestEnded(let report): report.description
        case .session(let event): "session \(event)"
        }
    }
}
