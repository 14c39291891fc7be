// SPDX-License-Identifier: Apache-2.0

import OAuthClient

extension AccountRecord {
    /// The command that signs the account in again, as it was signed in.
    ///
    /// - Parameter scopes: The scopes to request; if empty, those that the service requested, or those that the server
    ///   grants by default.
    /// - Returns: One line for a shell.
    func loginCommand(scopes: [String] = []) -> String {
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
        if allowsInsecureLoopback { words.append("--allow-insecure-loopback") }
        let scopes = scopes.isEmpty ? serviceScopes ?? [] : scopes
        if !scopes.isEmpty { words += ["--scope", scopes.joined(separator: " ")] }
        return SafeText.of(words.map(Self.quoted).joined(separator: " "))
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
