// SPDX-License-Identifier: Apache-2.0

/// The options of `keybound demo`.
struct DemoOptions: Sendable {
    /// Leaves the servers running for the user, instead of the tour.
    var serve = false
    /// Prints the addresses of the servers as one line of JSON, for scripts; with ``serve``.
    var json = false
    /// Opens the desktop's browser for the sign-in, instead of filling in the pages automatically.
    var browser = false
    /// Shows every request and response.
    var isVerbose = false
    /// The port of the authorization server; the API gets the next one.
    ///
    /// 0 picks free ports.
    var port: UInt16 = 0
    /// Where the app keeps its key; `nil` for memory.
    var key: KeyChoice?
    /// Prompts for the PIN of a token.
    var pin: @Sendable () throws -> [UInt8] = { [] }
}
