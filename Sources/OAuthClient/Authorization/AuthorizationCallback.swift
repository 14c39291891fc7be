// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// What the browser sent to the redirect URI, not yet checked: a URL, and the body if it was a form.
///
/// It does not print, so that codes stay out of logs.
public struct AuthorizationCallback: Sendable, RedactedSecret {
    /// The URL that the browser was redirected to.
    public let url: String
    /// The body of the POST, of type `application/x-www-form-urlencoded`; `nil` when the response is in ``url``.
    public let formBody: [UInt8]?

    /// The maximum size of a form, in bytes.
    ///
    /// URLs have the limit of `URI`.
    static let maximumFormSize = 16_384

    /// Makes a callback with the response in the query or the fragment.
    ///
    /// - Parameter url: The URL that the browser was redirected to.
    public init(url: String) {
        self.url = url
        formBody = nil
    }

    /// Makes a callback with the response in a form.
    ///
    /// - Parameters:
    ///   - url: The URL that the form was posted to.
    ///   - formBody: The body, of type `application/x-www-form-urlencoded`.
    public init(url: String, formBody: [UInt8]) {
        self.url = url
        self.formBody = formBody
    }
}
