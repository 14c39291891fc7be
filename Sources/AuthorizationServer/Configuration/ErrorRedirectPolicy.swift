// SPDX-License-Identifier: Apache-2.0

/// When an authorization error is sent to the client without a click of the user (RFC 9700 section 4.11.2).
///
/// After a sign-out, the browser goes to a client that an operator registered; to any other client only with ``always``, and
/// otherwise with a click.
public enum ErrorRedirectPolicy: String, Sendable, Hashable, CaseIterable {
    /// When the user is signed in and an operator registered the client; or for a request that must show no page
    /// (`prompt=none`), if an operator registered the client or the redirect URI stays on the device.
    ///
    /// Otherwise the user sees a page with a link to the client.
    case signedIn = "signed-in"
    /// Always: the owner of any registered client can make a link to this server that leads to an address of their own.
    case always
}
