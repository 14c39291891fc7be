// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// The client that a browser names, and who is signed in there.
struct NamedClient: Sendable {
    let client: RegisteredClient
    let browser: SessionReads
}
