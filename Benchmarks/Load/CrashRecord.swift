// SPDX-License-Identifier: Apache-2.0

/// What one worker was answered before the server was killed.
struct CrashRecord: Sendable {
    /// A code that was accepted, and every refresh token that came of it, the newest last.
    struct Family: Sendable {
        let code: LoadCode
        var tokens: [String]
    }

    var families: [Family] = []
    /// A code whose exchange was under way: accepted or not, nobody knows.
    var uncertain: LoadCode?
}
