// SPDX-License-Identifier: Apache-2.0

#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
import AuthenticationServices

/// What the system's browser cannot do, as errors of this library.
extension WebCallbackTarget {
    /// The error when the system cannot show a browser.
    static func unavailable(_ error: (any Error)?) -> OAuthClientError {
        OAuthClientError(
            .browserUnavailable,
            "the system shows no browser: there must be a window in the foreground to show it above",
            underlying: error
        )
    }

    /// Converts an error of the system.
    func failure(_ error: (any Error)?) -> OAuthClientError {
        guard let error = error as? ASWebAuthenticationSessionError else {
            return OAuthClientError(.userAgentFailed, "the system's browser failed", underlying: error)
        }
        switch error.code {
        // With details, the user did not close the browser: the system rejects the app.
        case .canceledLogin where error.errorUserInfo.isEmpty:
            return OAuthClientError(.cancelled, "the person closed the browser", underlying: error)
        case .canceledLogin:
            return OAuthClientError(.userAgentFailed, refusal, underlying: error)
        case .presentationContextNotProvided, .presentationContextInvalid:
            return Self.unavailable(error)
        default:
            return OAuthClientError(.userAgentFailed, "the system's browser failed", underlying: error)
        }
    }

    private var refusal: String {
        switch self {
        case .https(let host, _):
            "the system refuses the callback: \(host) and the app must name one another, under webcredentials"
        case .customScheme(let scheme):
            "the system refuses the callback with the scheme \(scheme)"
        }
    }
}
#endif
