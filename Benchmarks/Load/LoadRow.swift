// SPDX-License-Identifier: Apache-2.0

/// The repeated operation of a worker while a server is measured; each is one request, if it does not say otherwise.
enum LoadRow: String, Sendable, CaseIterable {
    /// A service requests a token, with its secret and a proof.
    case clientCredentials = "client-credentials"
    /// A browser in which a user has signed in and consented gets a code.
    case authorize
    /// A code is exchanged, with its verifier and a proof; the codes are those of the previous row.
    case code
    /// The newest refresh token is exchanged for the next one, with a proof.
    case refresh
    /// The UserInfo endpoint, with a proof of the key to which the access token is bound.
    case userInfo = "userinfo"
    /// A request to an API behind a proxy, with a proof of the key to which the access token is bound.
    case api
    /// An app asks for the password itself: a first request and the right answer, two requests and a password hash.
    case firstParty = "first-party"
    /// The same app, whose last sign-in meets the next request: the same without a password.
    case firstPartyFinished = "first-party-finished"
}
