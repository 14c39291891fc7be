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
        let missing = scopes.filter { !granted.contains($0) }
        guard !isAboutScope || !missing.isEmpty else {
            return "the API refuses what the session may do, and names no missing scope"
        }
        let wanted = isAboutScope ? "more scope" : "a stronger or more recent sign-in"
        return "the API asks for \(wanted); sign in again: " + Self.command(record, scopes: granted + missing)
    }

    private static func command(_ record: AccountRecord, scopes: [String]) -> String {
        let account = record.account
        var words = ["keybound", "login"]
        if let server = record.mcpServer {
            words += ["--mcp", server]
        } else {
            words += [account.issuer, "--client-id", account.clientID]
        }
        if account.name != record.mcpServer ?? SignInTarget.usualName { words += ["--account", account.name] }
        if record.mcpServer == nil, let resource = record.resource { words += ["--api", resource] }
        if record.allowsInsecureLoopback { words.append("--allow-insecure-loopback") }
        if !scopes.isEmpty { words += ["--scope", scopes.joined(separator: " ")] }
        return SafeText.of(words.map(quoted).joined(separator: " "))
    }

    /// A word for a shell; scopes come from the API, and may have any visible character.
    private static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-_.:/@".utf8.contains(byte)
        }
        return isPlain && !word.isEmpty ? word : ShellCompletion.quoted(word)
    }
}
#endif
