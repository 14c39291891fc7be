// SPDX-License-Identifier: Apache-2.0

/// The claims of an `id_token_hint` of this server.
struct IDTokenHint: Sendable {
    /// `sub`.
    let subject: String
    /// `aud`: the client that it was issued to.
    let clientID: String
}
