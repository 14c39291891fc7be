// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// The client that a browser names, and who is signed in there.
struct NamedClient: Sendable {
    let client: RegisteredClient
    let browser: SessionReads
    /// The keys of a client whose metadata document says where they are, if it signed the request.
    let fetchedKeys: FetchedClientKeys?
}
