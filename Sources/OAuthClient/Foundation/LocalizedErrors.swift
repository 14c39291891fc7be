// SPDX-License-Identifier: Apache-2.0

#if FoundationAPI || canImport(Darwin)
public import Foundation
public import OAuthCore
public import SigningKeys

/// For alerts and logs of apps.
extension OAuthClientError: LocalizedError {
    /// ``userMessage``: one sentence for users.
    public var errorDescription: String? { userMessage }
    /// ``reason``: for developers.
    public var failureReason: String? { reason }
    /// What the user can do; `nil` if there is nothing to do.
    public var recoverySuggestion: String? { recovery?.text }
    /// The stable name of the code, a row of docs/client.md.
    public var helpAnchor: String? { code.rawValue }
}

/// What users read of it is that of the error that a client throws in its place.
extension OAuthCoreError: LocalizedError {
    /// One sentence for users.
    public var errorDescription: String? { asClientError.userMessage }
    /// What went wrong: for developers.
    public var failureReason: String? { reason }
    /// What the user can do.
    public var recoverySuggestion: String? { asClientError.recovery?.text }
    /// The stable name of the code.
    public var helpAnchor: String? { code.rawValue }

    private var asClientError: OAuthClientError {
        let codes: [Code] = [.transportFailed, .cancelled, .invalidRequest]
        return codes.contains(code) ? OAuthClientError(transport: self) : OAuthClientError(.malformedResponse, reason)
    }
}

/// What users read of it is that of the error that a client throws in its place.
extension KeyStoreError: LocalizedError {
    /// One sentence for users.
    public var errorDescription: String? { asClientError.userMessage }
    /// What went wrong: for developers.
    public var failureReason: String? { reason }
    /// What the user can do.
    public var recoverySuggestion: String? { asClientError.recovery?.text }
    /// The stable name of the code.
    public var helpAnchor: String? { code.rawValue }

    private var asClientError: OAuthClientError {
        OAuthClientError(code == .keyLost ? .keyMissing : .keyUnavailable, reason)
    }
}

/// For alerts and logs of apps.
extension ProfileViolation: LocalizedError {
    /// One sentence for users.
    public var errorDescription: String? { OAuthClientError(.profileContradicted, description).userMessage }
    /// The violated rule: for developers.
    public var failureReason: String? { description }
    /// What the developer can do.
    public var recoverySuggestion: String? { Recovery.fixConfiguration.text }
}
#endif
