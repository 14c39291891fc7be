// SPDX-License-Identifier: Apache-2.0

/// `application_type`: where a client runs, which decides its redirect URIs (OpenID Connect Registration section 2).
public enum ApplicationType: String, Sendable, Hashable, CaseIterable {
    /// On a web server or in a browser: its redirect URIs are https.
    case web
    /// On a device of its user: loopback addresses, `http://localhost`, its own scheme, or https that its app claims.
    case native
}
