// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import SigningKeys

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
    private static let noBrowser = Option.flag("--no-browser", "show the URL instead of opening a browser")
    private static let timeout = Option.value("--timeout", "DURATION", "how long to wait for you; 5m unless given")

    static let syntax = CommandSyntax(
        "login",
        "sign in with a browser, and keep tokens and key",
        details: [
            "Opens the browser that $BROWSER names, or else that of the desktop; without one it shows the URL. The answer "
                + "comes back to this machine: over ssh, forward a port to it and name the port, as in ssh -L "
                + "8123:127.0.0.1:8123 and --redirect-uri http://127.0.0.1:8123/callback.",
            "Tokens and key are kept in $XDG_STATE_HOME/keybound, or else ~/.local/state/keybound, readable by you only. "
                + "The key is encrypted with a passphrase that is asked for, or with a credential of 32 bytes for unattended "
                + "use, whose file is remembered; the tokens are of no use without it.",
        ],
        operands: [.required("ISSUER", "the issuer of the authorization server: its https URL")],
        options: [clientID, scope, name, redirectURI, noBrowser, timeout] + AccountKey.openingOptions
            + [AccountKey.unencrypted, .insecureLoopback, .json],
        examples: [
            .init(
                "Sign in",
                "keybound login https://auth.example.com --client-id my-tool --scope api:read"
            ),
            .init(
                "For unattended use: the key is encrypted with a credential",
                "head -c 32 /dev/urandom >credential\n"
                    + "keybound login https://auth.example.com --client-id my-tool --key-credential-file credential"
            ),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let account = ClientAccount(
            issuer: try arguments.requiredOperand(0),
            clientID: try arguments.required(clientID),
            name: arguments.value(name) ?? "default"
        )
        let directory = try AccountDirectory()
        let timeout = try arguments.duration(timeout) ?? .seconds(300)
        // What is wrong with the arguments is said before a passphrase is asked for.
        _ = try StoredSession.client(record(account, arguments, .none), directory, keyStore: MemoryKeyStore())
        try directory.make(for: account)
        let lock = try await FileLock(directory.signInLockFile(of: account), patience: .zero)
        defer { withExtendedLifetime(lock) {} }
        let isSignedIn = try directory.record(of: account) != nil
        // What an interrupted sign-in left behind is bound to nothing, and has a passphrase of its own.
        if !isSignedIn { try await AccountKey.delete(of: account, in: directory) }
        do {
            let accountKey = try AccountKey(protecting: account, in: directory, arguments)
            let record = record(account, arguments, accountKey.secret)
            let tokens = try await signIn(record, directory, accountKey.store, arguments, timeout, console)
            try directory.save(record)
            report(tokens, record, arguments, console)
        } catch {
            if !isSignedIn {
                try? await AccountKey.delete(of: account, in: directory)
                try? directory.delete(account)
            }
            throw error
        }
    }

    private static func record(
        _ account: ClientAccount,
        _ arguments: ParsedArguments,
        _ secret: AccountRecord.KeySecret
    ) -> AccountRecord {
        AccountRecord(
            account: account,
            redirectURI: arguments.value(redirectURI) ?? "http://127.0.0.1/callback",
            allowsInsecureLoopback: arguments.has(.insecureLoopback),
            keySecret: secret
        )
    }

    private static func signIn(
        _ record: AccountRecord,
        _ directory: AccountDirectory,
        _ keyStore: any KeyStore,
        _ arguments: ParsedArguments,
        _ timeout: Duration,
        _ console: Console
    ) async throws -> TokenSet {
        let client = try StoredSession.client(record, directory, keyStore: keyStore)
        let scopes = arguments.values(scope).flatMap { $0.split(separator: " ").map(String.init) }
        if !arguments.has(noBrowser) {
            console.note("signing in at \(record.account.issuer) with your browser; without one: \(noBrowser.name)")
        }
        let earlier = try await directory.tokenStore.tokens(of: record.account)
        let session = try await client.signIn(scopes: scopes, using: userAgent(arguments, timeout))
        // The tokens of the sign-in before are not needed any more; a server that cannot be told lets them expire.
        if let refreshToken = earlier?.refreshToken { try? await client.revoke(refreshToken) }
        return try await session.tokenManager.fetch()
    }

    private static func userAgent(_ arguments: ParsedArguments, _ timeout: Duration) -> SystemBrowser {
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
            console.note("tokens are bound to the key \(tokens.keyThumbprint); keybound token show says more")
        }
        if record.keySecret == .none {
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
