// SPDX-License-Identifier: Apache-2.0

import OAuthClient

extension AccountRecord {
    /// The command that signs the account in again, as it was signed in.
    ///
    /// - Parameters:
    ///   - scopes: The scopes to request; if empty, those of the last sign-in.
    ///   - challenge: What an API demands of the authentication of the user; `nil` if it demands nothing.
    /// - Returns: One line for a shell.
    func loginCommand(scopes: [String] = [], meeting challenge: StepUpChallenge? = nil) -> String {
        var words = ["keybound", "login"]
        if let mcpServer {
            words += ["--mcp", mcpServer]
        } else {
            words += [account.issuer, "--client-id", account.clientID]
        }
        words += credential?.words ?? []
        if isService { words.append(ClientCredential.serviceOption.name) }
        if account.name != mcpServer ?? SignInTarget.usualName { words += ["--account", account.name] }
        if mcpServer == nil, let resource { words += ["--api", resource] }
        if let attester { words += ["--attester", attester] }
        if mcpServer == nil, redirectURI != SignInTarget.usualRedirect { words += ["--redirect-uri", redirectURI] }
        if allowsInsecureLoopback { words.append("--allow-insecure-loopback") }
        let scopes = scopes.isEmpty ? serviceScopes ?? requestedScopes : scopes
        if !scopes.isEmpty { words += ["--scope", scopes.joined(separator: " ")] }
        if let challenge { words += AuthenticationOptions.words(meeting: challenge) }
        return SafeText.of(words.map(Self.quoted).joined(separator: " "))
    }

    /// What to do to meet an API: to sign in again, with the scopes of the session too, so that nothing is lost.
    ///
    /// With the account of a service no user can sign in, so no command would help if the API demands one (RFC 9470 section 3).
    ///
    /// - Parameters:
    ///   - granted: The scopes that the session has.
    ///   - scopes: More scopes that the API demands.
    ///   - challenge: What the API demands of the authentication of the user; `nil` if it demands nothing.
    ///   - sentence: Says it, with the command.
    /// - Returns: One sentence.
    func signInAdvice(
        keeping granted: [String],
        adding scopes: [String] = [],
        meeting challenge: StepUpChallenge?,
        _ sentence: (_ command: String) -> String
    ) -> String {
        guard challenge == nil || !isService else {
            return "the API requires a user who signs in, but with this account the client itself is signed in"
        }
        let missing = (challenge?.scopes ?? scopes).filter { !granted.contains($0) }
        return sentence(loginCommand(scopes: granted + missing, meeting: challenge))
    }

    /// A word for a shell; scopes come from the API, and may have any visible character.
    static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-_.:/@".utf8.contains(byte)
        }
        return isPlain && !word.isEmpty ? word : ShellCompletion.quoted(word)
    }
}
