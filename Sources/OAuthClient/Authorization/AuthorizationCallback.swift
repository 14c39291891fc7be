// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// What the browser brought back to the redirect URI, unchecked: a URL, and the body where it was a form.
///
/// It does not print, so that codes stay out of logs.
public struct AuthorizationCallback: Sendable, RedactedSecret {
    /// The URL that the browser was sent to.
    public let url: String
    /// The body of the POST, of type `application/x-www-form-urlencoded`; `nil` when the answer is in ``url``.
    public let formBody: [UInt8]?

    /// The longest body that is read, in bytes; URLs have the limit of `URI`.
    static let maximumFormSize = 16_384

    /// An answer in the query or the fragment.
    ///
    /// - Parameter url: The URL that the browser was sent to.
    public init(url: String) {
        self.url = url
        formBody = nil
    }

    /// An answer in a form.
    ///
    /// - Parameters:
    ///   - url: The URL that the form was posted to.
    ///   - formBody: The body, of type `application/x-www-form-urlencoded`.
    public init(url: String, formBody: [UInt8]) {
        self.url = url
        self.formBody = formBody
    }
}
