// SPDX-License-Identifier: Apache-2.0

/// What `keybound login` asks for.
struct SignInAccess: Sendable {
    let scopes: [String]
    /// The APIs that the tokens are for (RFC 8707).
    let resources: [String]
}
