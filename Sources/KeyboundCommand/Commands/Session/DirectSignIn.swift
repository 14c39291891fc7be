// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthClient
import OAuthSystem

/// `keybound login --no-browser`: asks for name, password and codes itself.
enum DirectSignIn {
    static let option = Option.flag(
        "--no-browser",
        "ask for user name, password and codes here; for clients that the server knows as first-party"
    )
    static let username = Option.value("--username", "NAME", "with \(option.name), the user; asked for by default")
    static let passwordFile = Option.value(
        "--password-file",
        "FILE",
        "with \(option.name), a file with the password on a single line; - is standard input"
    )
    static let passwordDescriptor = Option.value(
        "--password-fd",
        "N",
        "with \(option.name), an open file descriptor from which to read the password"
    )

    /// The options that need ``option``.
    static let details = [username, passwordFile, passwordDescriptor]

    private static let password = SecretSource(file: passwordFile, descriptor: passwordDescriptor, name: "password")

    /// Rejects options that do not go together, and a run that could not ask.
    static func check(_ arguments: ParsedArguments) throws {
        guard arguments.has(option) else {
            guard let detail = details.first(where: arguments.has) else { return }
            throw CommandFailure.usage("\(detail.name) needs \(option.name)", hint: "add \(option.name)")
        }
        let others = [
            BrowserSignIn.redirectURI, BrowserSignIn.responseMode, BrowserSignIn.timeout, BrowserSignIn.showURL,
            BrowserSignIn.printURL, DeviceSignIn.option, Login.answer, Login.mcp,
        ]
        for other in others { try arguments.requireAtMostOne(of: [option, other]) }
        try arguments.requireAtMostOne(of: [passwordFile, passwordDescriptor])
        guard arguments.has(passwordFile) || arguments.has(passwordDescriptor) else {
            if SecretPrompt() != nil { return }
            throw CommandFailure.usage(
                "there is no terminal to ask for the password",
                hint: "\(passwordFile.name) FILE reads it from a file, \(passwordFile.name) - from standard input"
            )
        }
        guard arguments.has(username) else {
            throw CommandFailure.usage("a password without a user name", hint: "name the user with \(username.name)")
        }
    }

    static func run(
        _ client: OAuth2Client,
        _ access: SignInAccess,
        _ arguments: ParsedArguments,
        _ console: Console
    ) async throws -> OAuthSession {
        let given =
            arguments.has(passwordFile) || arguments.has(passwordDescriptor)
            ? try password.text(arguments, question: "Password", isNew: false) : nil
        var options = AuthorizationOptions()
        options.resources = access.resources
        try AuthenticationOptions.set(&options, arguments)
        options.loginHint = arguments.value(username)
        return try await client.signIn(
            scopes: access.scopes,
            asking: TerminalPrompter(username: arguments.value(username), password: given, console: console),
            fallback: nil,
            options: options
        )
    }
}
#endif
