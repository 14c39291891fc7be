// SPDX-License-Identifier: Apache-2.0

/// An error that can be shown to users.
///
/// Every public error of the modules that an app uses is one. With Foundation, it is a `LocalizedError` too.
public protocol UserFacingError: Error {
    /// The error that a client throws in its place.
    var clientError: OAuthClientError { get }
    /// The stable name of its code; `nil` if it has none.
    var helpAnchor: String? { get }
}

extension UserFacingError {
    /// What went wrong, as one sentence for users, in the language of ``OAuthClientText``.
    public var userMessage: String { clientError.userMessage }
    /// What the app or its user can do; `nil` if there is nothing to do or to say.
    public var recovery: Recovery? { clientError.recovery }
}

extension OAuthClientError: UserFacingError {
    /// The error itself.
    public var clientError: OAuthClientError { self }
    /// The stable name of the code, a row of docs/client.md.
    public var helpAnchor: String? { code.rawValue }
}

extension ProfileViolation: UserFacingError {
    /// An error with the code ``OAuthClientError/Code/profileContradicted``.
    public var clientError: OAuthClientError {
        OAuthClientError(.profileContradicted, description, underlying: self)
    }
    /// The stable name of what is missing.
    public var helpAnchor: String? { requirement.rawValue }
}
