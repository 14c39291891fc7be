// SPDX-License-Identifier: Apache-2.0

/// What `keybound demo` was asked for.
struct DemoOptions: Sendable {
    /// Leaves the servers running for a person, instead of the tour.
    var serve = false
    /// Tells where the servers are as one line of JSON, for scripts; with ``serve``.
    var json = false
    /// Opens the browser of the desktop for the sign-in, instead of walking the pages.
    var browser = false
    /// The port of the authorization server, the API gets the next one; 0 for any that are free.
    var port: UInt16 = 0
    /// Where the app keeps its key; `nil` for in memory.
    var key: KeyChoice?
    /// What asks for the PIN of a token.
    var pin: @Sendable () throws -> [UInt8] = { [] }
}
