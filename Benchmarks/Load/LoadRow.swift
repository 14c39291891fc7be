// SPDX-License-Identifier: Apache-2.0

/// What a worker does again and again while a server is measured; each is one request.
enum LoadRow: String, Sendable, CaseIterable {
    /// A service asks for a token, with its secret and a proof.
    case clientCredentials = "client-credentials"
    /// A browser in which somebody has signed in and agreed gets a code.
    case authorize
    /// A code is exchanged, with its verifier and a proof; the codes are those of the row before.
    case code
    /// The newest refresh token is exchanged for the next one, with a proof.
    case refresh
    /// An API that answers with who signed in, with a proof of the key that the access token is bound to.
    case userInfo = "userinfo"
}
