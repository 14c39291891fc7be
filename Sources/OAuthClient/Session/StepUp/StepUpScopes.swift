// SPDX-License-Identifier: Apache-2.0

/// What a step-up asks for besides what was granted and what the challenge names.
struct StepUpScopes: Sendable {
    /// What was asked for before, granted or not.
    var askedBefore: [String] = []
    /// What to ask for if the challenge names no scope: servers of the reference SDK for MCP name none.
    var ifUnnamed: [String] = []
    /// Gets what was asked for, once the sign-in has succeeded: a scope that the server rejects must not be asked for again.
    var whenSignedIn: (@Sendable ([String]) async -> Void)?
}
