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
        "the client_id that is registered at the server"
    )
    private static let scope = Option.list("--scope", "SCOPE", "a scope to request")
    private static let name = Option.value(
        "--account",
        "NAME",
        "a name for this account, to sign in with several at one server",
        default: "default"
    )
    private static let api = Option.value(
        "--api",
        "URL",
        "sign in for this API, at the authorization server that it names; with ISSUER, only if the API names it"
    )
    static let mcp = Option.value(
        "--mcp",
        "URL",
        "sign in for this MCP server: finds its authorization server, and registers there unless --client-id is given"
    )
    static let attester = Option.value(
        "--attester",
        "URL",
        "the service that attests the key, for a client that authenticates by attestation; remembered"
    )
    static let answer = Option.flag(
        "--answer",
        "finish a sign-in: prompts for the URL at which the browser ended"
    )
    static let responseFile = Option.value(
        "--answer-file",
        "FILE",
        "finish a sign-in with the URL on a single line of a file; - is standard input"
    )
    private static let detailOptions = DirectSignIn.details + ClientCredential.options

    static let syntax = CommandSyntax(
        "login",
        "sign in with a browser, and store the tokens and the key",
        details: [
            "Opens the browser named by $BROWSER, or the desktop's browser; without one it shows the URL. The browser "
                + "is redirected to this machine: over ssh, forward a port and name it, as in ssh -L "
                + "8123:127.0.0.1:8123 and --redirect-uri http://127.0.0.1:8123/callback.",
            "To sign in without that redirect: --print-url prints the URL; open it in a browser anywhere. At the end "
                + "the browser fails to load a page at 127.0.0.1; give the address of that page to --answer. An "
                + "interrupted sign-in can be finished in the same way.",
            "With --api the tokens are for that API alone (RFC 8707): give the address that its authorization server knows "
                + "it by, since a server rejects any other one (invalid_target).",
            "Or use the device flow: --device shows a code, which you enter on a page of the server in a browser "
                + "anywhere. The client must be registered for that.",
            "With --no-browser the command asks for user name, password and codes itself, and talks to the server "
                + "directly: for a client of the server's own publisher, which the server must know as first-party. "
                + "Type a password only into programs of its publisher.",
            "A client that is not public authenticates with --client-secret-file or --client-key-file. The account "
                + "remembers the path of the file, and every command reads it again. With --client-credentials the client "
                + "itself signs in, without a user: for a service or a job. keybound request then gets new tokens by itself.",
            "Tokens are stored in $XDG_STATE_HOME/keybound, by default ~/.local/state/keybound, readable only by you; accounts "
                + "there that another user can read or change are rejected. Tokens bound to the key are useless without it. --key puts "
                + "the key into hardware, from which it cannot be copied, or into a file next to the tokens. The file is "
                + "encrypted with a passphrase that you type, with a 32-byte credential for unattended use, or with a "
                + "secret in the desktop's keyring (secret-service). The location of the key is chosen at the first sign-in "
                + "and remembered, and so is the path of the credential file. For another TPM than the machine's own, set "
                + "$KEYBOUND_TPM to its TCTI, such as swtpm:host=127.0.0.1,port=2321.",
        ],
        operands: [
            .optional(
                "ISSUER",
                "the issuer of the authorization server: its https URL; not needed with --api or --answer"
            )
        ],
        options: [
            clientID, scope, AuthenticationOptions.maxAge, AuthenticationOptions.acr, api, mcp, name,
            BrowserSignIn.redirectURI, BrowserSignIn.responseMode, BrowserSignIn.showURL,
            DeviceSignIn.option, BrowserSignIn.printURL, answer, responseFile, BrowserSignIn.timeout,
            DirectSignIn.option, attester,
        ]
            + detailOptions + [KeyChoice.option] + AccountKey.openingOptions
            + [KeyFileOpening.unencrypted, .insecureLoopback, .json],
        examples: [
            .init(
                "Sign in",
                "keybound login https://auth.example.com --client-id my-tool --scope api:read"
            ),
            .init(
                "Sign in for an API whose authorization server you do not know",
                "keybound login --api https://api.example.com --client-id my-tool --scope notes:read"
            ),
            .init(
                "Sign in for an MCP server, and call it",
                "keybound login --mcp https://mcp.example.com/mcp\n"
                    + "keybound request POST https://mcp.example.com/mcp -H 'Accept: application/json, text/event-stream' "
                    + "-d '{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/list\"}'"
            ),
            .init(
                "Sign in with a browser on another machine",
                "keybound login https://auth.example.com --client-id my-tool --print-url\n"
                    + "keybound login --answer"
            ),
            .init(
                "Sign in with a code, for example over ssh",
                "keybound login https://auth.example.com --client-id my-tool --device"
            ),
            .init(
                "Sign in without a browser",
                "keybound login https://auth.example.com --client-id my-tool --no-browser --username ada"
            ),
            .init(
                "Sign in a service or a job, without a user",
                "keybound login --api https://api.example.com --client-id billing --client-credentials "
                    + "--client-secret-file secret --scope api:read --key-credential-file credential"
            ),
            .init(
                "Encrypt the key with a secret in the desktop's keyring",
                "keybound login https://auth.example.com --client-id my-tool --key secret-service"
            ),
            .init(
                "For unattended use, encrypt the key with a credential",
                "(umask 077; head -c 32 /dev/urandom >credential)\n"
                    + "keybound login https://auth.example.com --client-id my-tool --key-credential-file credential"
            ),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        try arguments.requireAtMostOne(of: [
            answer, responseFile, BrowserSignIn.printURL, BrowserSignIn.showURL, DeviceSignIn.option,
        ])
        try DirectSignIn.check(arguments)
        for own in [ClientCredential.secretFile, ClientCredential.keyFile] {
            for other in [mcp, attester] { try arguments.requireAtMostOne(of: [own, other]) }
        }
        try ServiceSignIn.check(arguments)
        try AuthenticationOptions.check(arguments)
        // The server sets the lifetime of the code, and there is no redirect to this machine.
        try arguments.requireAtMostOne(of: [api, mcp])
        try arguments.requireAtMostOne(of: [mcp, DeviceSignIn.option])
        for other in [BrowserSignIn.redirectURI, BrowserSignIn.responseMode, BrowserSignIn.timeout] {
            try arguments.requireAtMostOne(of: [DeviceSignIn.option, other])
        }
        guard arguments.has(answer) || arguments.has(responseFile) else { return try await start(arguments, console) }
        let finished = try await PendingSignIn.finish(responseURL(arguments), arguments, console)
        report(finished.tokens, finished.record, arguments, console)
        await ReplacedAccounts.end(by: finished.record, arguments, console)
    }

    /// Never an argument: the URL contains the code.
    private static func responseURL(_ arguments: ParsedArguments) throws -> String {
        if let file = arguments.value(responseFile) { return try InputFile.line(file) }
        guard let prompt = SecretPrompt() else {
            throw CommandFailure.usage(
                "there is no terminal to ask for the URL",
                hint: "\(responseFile.name) - reads it from standard input"
            )
        }
        return try prompt.ask("URL at which the browser ended")
    }

    private static func start(_ arguments: ParsedArguments, _ console: Console) async throws {
        try BrowserSignIn.check(arguments)
        let target = try await target(arguments, console)
        let account = ClientAccount(
            issuer: target.issuer,
            clientID: target.clientID,
            name: arguments.value(name) ?? target.accountName
        )
        let directory = try AccountDirectory()
        let timeout = try arguments.duration(BrowserSignIn.timeout) ?? .seconds(300)
        // Wrong arguments are reported before prompting for a passphrase.
        _ = try await StoredSession.client(
            record(account, arguments, .clearFile, target),
            directory,
            keyStore: MemoryKeyStore()
        )
        try directory.make(for: account)
        let lock = try await FileLock(directory.signInLockFile(of: account), timeout: .zero)
        defer { withExtendedLifetime(lock) {} }
        let earlier = try directory.record(of: account)
        // A key left by an interrupted sign-in is bound to no tokens, and may have another passphrase.
        if earlier == nil { try await AccountKey.deleteFiles(of: account, in: directory) }
        try directory.deletePending(account)
        var key: AccountKey?
        do {
            let unbound = try record(account, arguments, .clearFile, target)
            let accountKey =
                target.isBound
                ? try await AccountKey.forSignIn(account, earlier: earlier, in: directory, arguments, console)
                : try AccountKey(opening: unbound, in: directory, arguments)
            key = accountKey
            var record = try record(account, arguments, accountKey.place, target)
            record.allowedOrigins = earlier?.allowedOrigins ?? []
            // Saved before the browser opens: from then on another process can finish the sign-in.
            try directory.savePending(record)
            let client = try await StoredSession.client(record, directory, keyStore: accountKey.store)
            var pending = PendingSignIn(record: record, client: client, directory: directory, console: console)
            pending.mayBeLost = !target.isNewClient
            if arguments.has(BrowserSignIn.printURL) {
                return try await pending.request {
                    try await BrowserSignIn.printRequest(client, access(arguments, target), arguments, console)
                }
            }
            let tokens = try await pending.complete {
                try await signIn(client, access(arguments, target), arguments, timeout: timeout, console)
            }
            report(tokens, record, arguments, console)
            await ReplacedAccounts.end(by: record, arguments, console)
        } catch {
            try? await PendingSignIn.giveUp(account, key, in: directory)
            throw error
        }
    }

    /// Signs in as the options say.
    private static func signIn(
        _ client: OAuth2Client,
        _ access: SignInAccess,
        _ arguments: ParsedArguments,
        timeout: Duration,
        _ console: Console
    ) async throws -> OAuthSession {
        if arguments.has(ServiceSignIn.option) { return try await ServiceSignIn.run(client, access) }
        if arguments.has(DirectSignIn.option) {
            return try await DirectSignIn.run(client, access, arguments, console)
        }
        if arguments.has(DeviceSignIn.option) { return try await DeviceSignIn.run(client, access, console) }
        return try await BrowserSignIn.run(client, access, arguments, timeout: timeout, console)
    }

    /// The issuer that was given or that the API names, which must agree; with it the resource of the API.
    private static func target(_ arguments: ParsedArguments, _ console: Console) async throws -> SignInTarget {
        if let server = arguments.value(mcp) {
            return try await MCPSignIn(server: server, clientID: arguments.value(clientID)).target(
                scopes: scopes(arguments),
                arguments,
                console
            )
        }
        let clientID = try arguments.required(clientID)
        guard let resource = arguments.value(api) else {
            return SignInTarget(issuer: try arguments.requiredOperand(0), clientID: clientID)
        }
        let discovery = ProtectedResourceDiscovery(allowsInsecureHTTPOnLoopback: arguments.has(.insecureLoopback))
        let metadata = try await discovery.metadata(of: resource)
        let issuers = metadata.authorizationServers ?? []
        if let issuer = arguments.operand(0) {
            guard issuers.contains(where: { $0.isIdentical(to: issuer) }) else {
                throw CommandFailure(.failure, "the API does not accept tokens from \(issuer)", hints: hints(issuers))
            }
            return SignInTarget(issuer: issuer, clientID: clientID, resource: metadata.resource)
        }
        guard let issuer = issuers.first, issuers.count == 1 else {
            throw CommandFailure(
                .failure,
                issuers.isEmpty
                    ? "the API does not name its authorization server"
                    : "the API names several authorization servers: give one of them as ISSUER",
                hints: hints(issuers)
            )
        }
        console.note("the API names \(issuer) as its authorization server")
        return SignInTarget(issuer: issuer, clientID: clientID, resource: metadata.resource)
    }

    private static func hints(_ issuers: [String]) -> [String] {
        issuers.prefix(8).map { "the API names \($0)" }
    }

    private static func access(_ arguments: ParsedArguments, _ target: SignInTarget) -> SignInAccess {
        SignInAccess(
            scopes: target.scopes ?? scopes(arguments),
            resources: target.resource.map { [$0] } ?? []
        )
    }

    private static func scopes(_ arguments: ParsedArguments) -> [String] {
        arguments.values(scope).flatMap { $0.split(separator: " ").map(String.init) }
    }

    private static func record(
        _ account: ClientAccount,
        _ arguments: ParsedArguments,
        _ place: AccountKeyPlace,
        _ target: SignInTarget
    ) throws -> AccountRecord {
        var record = AccountRecord(
            account: account,
            redirectURI: target.redirectURI ?? arguments.value(BrowserSignIn.redirectURI) ?? SignInTarget.usualRedirect,
            allowsInsecureLoopback: arguments.has(.insecureLoopback),
            keyPlace: place
        )
        record.isBound = target.isBound
        record.resource = target.resource
        record.attester = arguments.value(attester)
        record.credential = try ClientCredential(arguments)
        record.requestedScopes = scopes(arguments)
        if arguments.has(ServiceSignIn.option) { record.serviceScopes = scopes(arguments) }
        record.mcpServer = target.mcpServer
        record.registeredRedirectURI = target.registeredRedirectURI
        record.isRegisteredWithoutSecret = target.isRegisteredWithoutSecret
        return record
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
            let user = tokens.idToken.map { " as " + SafeText.of(displayName(of: $0)) } ?? service(record)
            console.print("signed in at \(SafeText.of(record.account.issuer))\(user)")
            if let key = tokens.keyThumbprint {
                console.note("tokens are bound to the key \(key); keybound token show shows details")
            }
        }
        if !record.isBound {
            console.warn("the tokens are bound to no key: anyone with a copy of your files can use them")
        } else if record.keyPlace == .clearFile {
            console.warn("the key is not encrypted: anyone with a copy of your files can use your tokens")
        }
    }
}

/// Who is signed in without a user.
private func service(_ record: AccountRecord) -> String {
    record.isService ? " as the client \(SafeText.of(record.account.clientID)) itself" : ""
}

/// A name that the user recognises, followed by the unique `sub`.
private func displayName(of idToken: IDToken) -> String {
    let names = ["name", "preferred_username", "email"].lazy.compactMap { idToken.claims.string($0) }
    return names.first { !$0.isEmpty }.map { "\($0) (\(idToken.subject))" } ?? idToken.subject
}
#endif
