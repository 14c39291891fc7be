// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import OAuthClient

/// What to do when an API asks for more than the session has: a scope (RFC 6750 section 3.1), or another authentication of the
/// user (RFC 9470 section 3).
struct StepUpNote {
    private let scopes: [String]
    /// The authentication that the API demands; `nil` if a scope is all that is missing.
    private let authentication: StepUpChallenge?

    /// Reads the response of an API; `nil` if it asks for nothing.
    init?(_ response: HTTPResponse) {
        guard response.status == 401 || response.status == 403,
            let challenges = try? Challenge.parse(response.fields.values(for: "WWW-Authenticate"))
        else { return nil }
        if let challenge = ScopeChallenge(challenges) {
            (scopes, authentication) = (challenge.scopes, nil)
        } else if let challenge = StepUpChallenge(challenges) {
            (scopes, authentication) = (challenge.scopes, challenge)
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
        guard authentication != nil || scopes.contains(where: { !granted.contains($0) }) else {
            return "the API reports insufficient scope, but names no scope that the session lacks"
        }
        let wanted = authentication == nil ? "more scope" : "a stronger or more recent sign-in"
        return record.signInAdvice(keeping: granted, adding: scopes, meeting: authentication) { command in
            "the API asks for \(wanted); sign in again: " + command
        }
    }
}
#endif
