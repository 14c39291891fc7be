// SPDX-License-Identifier: Apache-2.0

/// The first four characters of every secret that the server issues, so that scanners of repositories and logs find it.
///
/// The compiler rejects a prefix that occurs twice.
package enum SecretPrefix: String, CaseIterable, Sendable {
    /// An opaque access token.
    case accessToken = "kba_"
    /// An authorization code.
    case code = "kbc_"
    /// A device code.
    case deviceCode = "kbd_"
    /// The session of a sign-in without a browser.
    case authSession = "kbf_"
    /// An initial access token for client registration.
    case registrationToken = "kbi_"
    /// A refresh token.
    case refreshToken = "kbr_"
    /// A client secret.
    case clientSecret = "kbs_"
}
