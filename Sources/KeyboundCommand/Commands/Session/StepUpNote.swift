// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import OAuthClient

/// What to do when an API asks for more than the session has: a scope (RFC 6750 section 3.1), or another authentication of the
/// user (RFC 9470 section 3).
struct StepUpNote {
    private let scopes: [String]
    /// Whether a scope is all that is missing.
    private let isAboutScope: Bool

    /// Reads the response of an API; `nil` if it asks for nothing.
    init?(_ response: HTTPResponse) {
        guard response.status == 401 || response.status == 403,
            let challenges = try? Challenge.parse(response.fields.values(for: "WWW-Authenticate"))
        else { return nil }
        if let challenge = ScopeChallenge(challenges) {
            (scopes, isAboutScope) = (challenge.scopes, true)
        } else if let challenge = StepUpChallenge(challenges) {
            (scopes, isAboutScope) = (challenge.scopes, false)
        } else {
            return nil
        }
    }

    /// The note, with the command that signs in.
    ///
    /// - Parameters:
    ///   - record: The account.
    ///   - granted: The scopes that the session has; the new sign-in asks for them too, so that nothing is lost.
    /// - Returns: One sentence.
    func text(_ record: AccountRecord, granted: [String]) -> String {
        guard isAboutScope || !record.isService else {
            return "the API requires a user who signs in, but with this account the client itself is signed in"
        }
        let missing = scopes.filter { !granted.contains($0) }
        guard !isAboutScope || !missing.isEmpty else {
            return "the API reports insufficient scope, but names no scope that the session lacks"
        }
        let wanted = isAboutScope ? "more scope" : "a stronger or more recent sign-in"
        return "the API asks for \(wanted); sign in again: " + record.loginCommand(scopes: granted + missing)
    }
}
#endif
