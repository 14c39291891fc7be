// SPDX-License-Identifier: Apache-2.0

/// What an API demands for a call, beyond what the session has.
public struct StepUpNeed: Sendable, Hashable {
    /// The scope tokens that the sign-in will ask for: those that were granted, and those that the API demands.
    public let scopes: [String]
    /// Those of them that were not granted.
    public let missing: [String]
    /// The stronger or more recent authentication that the API demands (RFC 9470); `nil` if it demands none.
    public let authentication: StepUpChallenge?
    /// Scheme, host and port of the API: `https://api.example`.
    public let origin: String
}
