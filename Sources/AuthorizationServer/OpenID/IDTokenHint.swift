// SPDX-License-Identifier: Apache-2.0

/// What an `id_token_hint` of this server says.
struct IDTokenHint: Sendable {
    /// `sub`.
    let subject: String
    /// `aud`: the client that it was given out to.
    let clientID: String
}
