// SPDX-License-Identifier: Apache-2.0

/// What a step-up asks for besides what was granted and what the challenge names.
struct StepUpScopes: Sendable {
    /// What was asked for before, granted or not.
    var askedBefore: [String] = []
    /// What to ask for if the challenge names no scope: servers of the reference SDK for MCP name none.
    var ifUnnamed: [String] = []
    /// Called with the requested scopes once the sign-in has succeeded: a rejected scope must not be requested again.
    var whenSignedIn: (@Sendable ([String]) async -> Void)?
}
