// SPDX-License-Identifier: Apache-2.0

/// The responses that one worker received before the server was killed.
struct CrashRecord: Sendable {
    /// An accepted code, and every refresh token that came from it, the newest last.
    struct Family: Sendable {
        let code: LoadCode
        var tokens: [String]
    }

    var families: [Family] = []
    /// A code whose exchange was in progress: it may or may not have been accepted.
    var uncertain: LoadCode?
}
