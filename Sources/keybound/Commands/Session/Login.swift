// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import SigningKeys
import StrictJSON

/// `keybound login`.
enum Login: Command {
    private static let clientID = Option.value(
        "--client-id",
        "CLIENT_ID",
        "the client that is registered at the server"
    )
    private static let scope = Option.list("--scope", "SCOPE", "what to ask for")
    private static let name = Option.value(
        "--account",
        "NAME",
        "a name for this account, to sign in several at one server; default unless given"
    )
    private static let redirectURI = Option.value(
        "--redirect-uri",
        "URI",
        "the redirect URI of the client; http://127.0.0.1/callback, with any free port, unless given"
    )
    private static let responseMode = Option.value(
        "--response-mode",
        "MODE",
        "how the answer is to come back: query, form_post, query.jwt or form_post.jwt; query unless given"
    )
    private static let api = Option.value(
        "--api",
        "URL",
        "sign in at the authorization server that this API names; with ISSUER, only if the API names that one"
    )
    private static let noBrowser = Option.flag("--no-browser", "show the URL instead of opening a browser")
    private static let printURL = Option.flag(
        "--print-url",
        "print the URL and end; --answer goes on within ten minutes"
    )
    private static let answer = Option.flag(
        "--answer",
        "finish a sign-in: asks for the URL that the browser ended at"
    )
    private static let answerFile = Option.value(
        "--answer-file",
        "FILE",
        "the same, with the URL on the one line of a file; - is standard input"
    )
    private static let timeout = Option.value("--timeout", "DURATION", "how long to wait for you; 5m unless given")

    static let syntax = CommandSyntax(
        "login",
        "sign in with a browser, and keep tokens and key",
        details: [
            "Opens the browser that $BROWSER names, or else that of the desktop; without one it shows the URL. The answer "
                + "comes back to this machine: over ssh, forward a port to it and name the port, as in ssh -L "
                + "8123:127.0.0.1:8123 and --redirect-uri http://127.0.0.1:8123/callback.",
            "Or sign in without the answer coming back by itself: --print-url prints the URL, a browser anywhere opens it and "
                + "at the end cannot load a page of 127.0.0.1; the address of that page is the answer for --answer. The same "
                + "goes for a sign-in that was interrupted.",
            "Or let the server ask you elsewhere: --device shows a code, which you type on a page of the server in a browser "
                + "anywhere. The client must be registered for that.",
            "Tokens are kept in $XDG_STATE_HOME/keybound, or else ~/.local/state/keybound, readable by you only. They are of no "
                + "use without the key, which --key puts where it cannot be copied, or into a file beside them: encrypted with a "
                + "passphrase that is asked for, with a credential of 32 bytes for unattended use, whose file is remembered, or with "
                + "a secret of the desktop's keyring (secret-service). Where the key lives is decided once, and remembered.",
        ],
        operands: [
            .optional(
                "ISSUER",
                "the issuer of the authorization server: its https URL; --api finds it, and --answer knows it"
            )
        ],
        options: [
            clientID, scope, api, name, redirectURI, responseMode, noBrowser, DeviceSignIn.option, printURL, answer,
            answerFile, timeout,
        ]
            + [KeyChoice.option] + AccountKey.openingOptions
            + [KeyFileOpening.unencrypted, .insecureLoopback, .json],
        examples: [
            .init(
                "Sign in",
                "keybound login https://auth.example.com --client-id my-tool --scope api:read"
            ),
            .init(
                "Sign in to use an API whose authorization server you do not know",
                "keybound login --api https://api.example.com/notes --client-id my-tool --scope notes:read"
            ),
            .init(
                "Sign in with a browser of another machine",
                "keybound login https://auth.example.com --client-id my-tool --print-url\n"
                    + "keybound login --answer"
            ),
            .init(
                "Sign in with a code, over ssh for example",
                "keybound login https://auth.example.com --client-id my-tool --device"
            ),
            .init(
                "Keep what opens the key in the keyring of the desktop",
                "keybound login https://auth.example.com --client-id my-tool --key secret-service"
            ),
            .init(
                "For unattended use: the key is encrypted with a credential",
                "head -c 32 /dev/urandom >credential\n"
                    + "keybound login https://auth.example.com --client-id my-tool --key-credential-file credential"
            ),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        try arguments.requireAtMostOne(of: [answer, answerFile, printURL, noBrowser, DeviceSignIn.option])
        // The server says how long a code lives, and the browser comes back to nobody.
        for other in [redirectURI, responseMode, timeout] {
            try arguments.requireAtMostOne(of: [DeviceSignIn.option, other])
        }
        guard arguments.has(answer) || arguments.has(answerFile) else { return try await start(arguments, console) }
        let finished = try await PendingSignIn.finish(answerURL(arguments), arguments)
        report(finished.tokens, finished.record, arguments, console)
    }

    /// Not an argument: there is a code in it.
    private static func answerURL(_ arguments: ParsedArguments) throws -> String {
        if let file = arguments.value(answerFile) { return try InputFile.line(file) }
        guard let prompt = SecretPrompt() else {
            throw CommandFailure.usage(
                "there is no terminal to ask for the URL",
                hint: "\(answerFile.name) - reads it from standard input"
            )
        }
        return try prompt.ask("URL that the browser ended at")
    }

    private static func start(_ arguments: ParsedArguments, _ console: Console) async throws {
        let clientID = try arguments.required(clientID)
        let account = ClientAccount(
            issuer: try await issuer(arguments, console),
            clientID: clientID,
            name: arguments.value(name) ?? "default"
        )
        let directory = try AccountDirectory()
        let timeout = try arguments.duration(timeout) ?? .seconds(300)
        // What is wrong with the arguments is said before a passphrase is asked for.
        _ = try StoredSession.client(record(account, arguments, .clearFile), directory, keyStore: MemoryKeyStore())
        try directory.make(for: account)
        let lock = try await FileLock(directory.signInLockFile(of: account), patience: .zero)
        defer { withExtendedLifetime(lock) {} }
        let earlier = try directory.record(of: account)
        // What an interrupted sign-in left behind is bound to nothing, and has a passphrase of its own.
        if earlier == nil { try await AccountKey.deleteFiles(of: account, in: directory) }
        try directory.deletePending(account)
        var key: AccountKey?
        do {
            let accountKey = try await AccountKey.forSignIn(
                account,
                earlier: earlier,
                in: directory,
                arguments,
                console
            )
            key = accountKey
            let record = record(account, arguments, accountKey.place)
            // Before the browser opens: from then on this process is not needed any more.
            try directory.savePending(record)
            let client = try StoredSession.client(record, directory, keyStore: accountKey.store)
            if arguments.has(printURL) { return try await begin(client, arguments, console) }
            let tokens = try await PendingSignIn(record: record, client: client, directory: directory).complete {
                if arguments.has(DeviceSignIn.option) {
                    return try await DeviceSignIn.run(client, scopes: scopes(arguments), console)
                }
                return try await client.signIn(
                    scopes: scopes(arguments),
                    using: userAgent(account.issuer, arguments, timeout, console),
                    options: options(arguments)
                )
            }
            report(tokens, record, arguments, console)
        } catch {
            try? await PendingSignIn.giveUp(account, key, in: directory)
            throw error
        }
    }

    /// The one that was given, or that the API names; both agree when there are both.
    private static func issuer(_ arguments: ParsedArguments, _ console: Console) async throws -> String {
        guard let resource = arguments.value(api) else { return try arguments.requiredOperand(0) }
        let discovery = ProtectedResourceDiscovery(allowsInsecureHTTPOnLoopback: arguments.has(.insecureLoopback))
        let issuers = try await discovery.metadata(of: resource).authorizationServers ?? []
        if let issuer = arguments.operand(0) {
            guard issuers.contains(where: { $0.isIdentical(to: issuer) }) else {
                throw CommandFailure(.failure, "the API does not take tokens of \(issuer)", hints: hints(issuers))
            }
            return issuer
        }
        guard let issuer = issuers.first, issuers.count == 1 else {
            throw CommandFailure(
                .failure,
                issuers.isEmpty
                    ? "the API does not say which authorization server is its own"
                    : "the API names several authorization servers: give one of them as ISSUER",
                hints: hints(issuers)
            )
        }
        console.note("the API names \(issuer) as its authorization server")
        return issuer
    }

    private static func hints(_ issuers: [String]) -> [String] {
        issuers.prefix(8).map { "the API names \($0)" }
    }

    /// Leaves the rest to another process.
    private static func begin(
        _ client: OAuth2Client,
        _ arguments: ParsedArguments,
        _ console: Console
    ) async throws {
        let request = try await client.initiateAuthorization(scopes: scopes(arguments), options: options(arguments))
        if arguments.has(.json) {
            let expiry = JSONNumber(request.expiresAt.secondsSince1970)
            console.printJSON(["url": .string(request.url), "expires_at": .number(expiry)])
        } else {
            console.print(SafeText.of(request.url))
            console.note("open it in a browser; then give keybound login \(answer.name) the URL that it ends at")
        }
    }

    private static func scopes(_ arguments: ParsedArguments) -> [String] {
        arguments.values(scope).flatMap { $0.split(separator: " ").map(String.init) }
    }

    private static func options(_ arguments: ParsedArguments) throws -> AuthorizationOptions {
        let mode = arguments.value(responseMode).map(ResponseMode.init) ?? .query
        if arguments.has(printURL), mode == .formPost || mode == .formPostJWT {
            throw CommandFailure.usage(
                "\(printURL.name) takes an answer in a URL, and \(mode.rawValue) is one in a form",
                hint: "leave \(responseMode.name) out"
            )
        }
        return AuthorizationOptions(responseMode: mode)
    }

    private static func record(
        _ account: ClientAccount,
        _ arguments: ParsedArguments,
        _ place: AccountKeyPlace
    ) -> AccountRecord {
        AccountRecord(
            account: account,
            redirectURI: arguments.value(redirectURI) ?? "http://127.0.0.1/callback",
            allowsInsecureLoopback: arguments.has(.insecureLoopback),
            keyPlace: place
        )
    }

    private static func userAgent(
        _ issuer: String,
        _ arguments: ParsedArguments,
        _ timeout: Duration,
        _ console: Console
    ) throws -> SystemBrowser {
        if !arguments.has(noBrowser) {
            console.note("signing in at \(SafeText.of(issuer)) with your browser; without one: \(noBrowser.name)")
        }
        let show: @Sendable (String) -> Void = { url in
            StandardStream.error.write("Open this URL in a browser on this machine:\n\n  \(SafeText.of(url))\n\n")
        }
        return arguments.has(noBrowser)
            ? SystemBrowser(timeout: timeout, showURL: show, launcher: NoBrowser())
            : SystemBrowser(timeout: timeout, showURL: show)
    }

    private static func report(
        _ tokens: TokenSet,
        _ record: AccountRecord,
        _ arguments: ParsedArguments,
        _ console: Console
    ) {
        let description = TokenDescription(record, tokens, at: SystemWallClock().now())
        if arguments.has(.json) {
            console.printJSON(.object(description.json))
        } else {
            let user = tokens.idToken.map { " as " + SafeText.of(displayName(of: $0)) } ?? ""
            console.print("signed in at \(SafeText.of(record.account.issuer))\(user)")
            if let key = tokens.keyThumbprint {
                console.note("tokens are bound to the key \(key); keybound token show says more")
            }
        }
        if record.keyPlace == .clearFile {
            console.warn("the key is not encrypted: whoever gets at a copy of your files can use your tokens")
        }
    }
}

/// What a person recognises, and what tells users apart.
private func displayName(of idToken: IDToken) -> String {
    let names = ["name", "preferred_username", "email"].lazy.compactMap { idToken.claims.string($0) }
    return names.first { !$0.isEmpty }.map { "\($0) (\(idToken.subject))" } ?? idToken.subject
}

/// Opens nothing: the URL is shown.
private struct NoBrowser: BrowserLauncher {
    func open(_ url: String) async throws(OAuthClientError) {
        throw OAuthClientError(.browserUnavailable, "no browser is to be opened")
    }
}
#endif
