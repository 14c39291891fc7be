// SPDX-License-Identifier: Apache-2.0

import OAuthClient

/// The options of `keybound login` that say how, and how recently, the user must have authenticated (OpenID Connect Core section
/// 3.1.2.1).
enum AuthenticationOptions {
    static let maxAge = Option.value(
        "--max-age",
        "DURATION",
        "how long ago the user may have authenticated (max_age); 0s asks for a new sign-in in any case"
    )
    static let acr = Option.list(
        "--acr",
        "VALUE",
        "an acceptable authentication context (acr_values), the preferred one first"
    )

    /// Sets what the arguments say; the id_token of the sign-in must then prove the age.
    static func set(_ options: inout AuthorizationOptions, _ arguments: ParsedArguments) throws {
        options.maxAge = try arguments.duration(maxAge)
        options.acrValues = arguments.values(acr).flatMap { $0.split(separator: " ").map(String.init) }
    }

    /// The options with which a new sign-in meets the challenge of an API (RFC 9470 section 4), for a shell.
    static func words(meeting challenge: StepUpChallenge) -> [String] {
        var words: [String] = []
        if let age = challenge.maxAge { words += [maxAge.name, DurationText.text(of: age)] }
        if !challenge.acrValues.isEmpty { words += [acr.name, challenge.acrValues.joined(separator: " ")] }
        // An API that names neither rejects the sign-in that there is: without an option the server would take its session again.
        return words.isEmpty ? [maxAge.name, "0s"] : words
    }
}

#if os(Linux)
extension AuthenticationOptions {
    /// Rejects sign-ins whose request has no such parameters: RFC 8628 section 3.1, RFC 6749 section 4.4.2; and the end of one
    /// that has begun.
    static func check(_ arguments: ParsedArguments) throws {
        for own in [maxAge, acr] {
            for other in [DeviceSignIn.option, ServiceSignIn.option, Login.answer, Login.responseFile] {
                try arguments.requireAtMostOne(of: [own, other])
            }
        }
    }
}
#endif
