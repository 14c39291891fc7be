// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import OAuthClient

/// What to do when an API asks for more than the session has: a scope (RFC 6750 section 3.1), or another authentication of the
/// user (RFC 9470 section 3).
enum StepUpNote {
    /// The note for a response.
    ///
    /// - Parameters:
    ///   - response: The response of the API.
    ///   - record: The account.
    ///   - granted: The scopes that the session has; the new sign-in asks for them too, so that nothing is lost.
    /// - Returns: The note; `nil` if the response asks for nothing.
    static func text(for response: HTTPResponse, _ record: AccountRecord, granted: [String]) -> String? {
        guard response.status == 401 || response.status == 403,
            let challenges = try? Challenge.parse(response.fields.values(for: "WWW-Authenticate"))
        else { return nil }
        if let challenge = ScopeChallenge(challenges) {
            let missing = challenge.scopes.filter { !granted.contains($0) }
            guard !missing.isEmpty else { return "the API refuses what the session may do, and names no missing scope" }
            return "the API asks for more scope; sign in again: "
                + command(record, scopes: granted + missing)
        }
        guard let challenge = StepUpChallenge(challenges) else { return nil }
        let missing = challenge.scopes.filter { !granted.contains($0) }
        return "the API asks for a stronger or more recent sign-in; sign in again: "
            + command(record, scopes: granted + missing)
    }

    private static func command(_ record: AccountRecord, scopes: [String]) -> String {
        let account = record.account
        // The account of an MCP server has its URL as name, unless the user gave another one.
        let isNamedByServer = account.name.hasPrefix("https://") || account.name.hasPrefix("http://")
        var words = ["keybound", "login"]
        if isNamedByServer {
            words += ["--mcp", account.name]
        } else {
            words += [account.issuer, "--client-id", account.clientID]
            if account.name != "default" { words += ["--account", account.name] }
            if let resource = record.resource { words += ["--api", resource] }
        }
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
