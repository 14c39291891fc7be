// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthClient
import OAuthSystem
import StrictJSON

/// `keybound login` with a browser: on this machine, or on any other one with the printed URL.
enum BrowserSignIn {
    static let redirectURI = Option.value(
        "--redirect-uri",
        "URI",
        "the redirect URI of the client",
        default: "http://127.0.0.1/callback, with any free port"
    )
    static let responseMode = Option.value(
        "--response-mode",
        "MODE",
        "how the response is returned: query, form_post, query.jwt or form_post.jwt",
        default: "query"
    )
    static let showURL = Option.flag("--show-url", "show the URL instead of opening a browser")
    static let printURL = Option.flag(
        "--print-url",
        "print the URL and exit; finish with --answer within ten minutes"
    )
    static let timeout = Option.value(
        "--timeout",
        "DURATION",
        "how long to wait for the sign-in",
        default: "5m"
    )

    /// Rejects a redirect URI at which no response can arrive, before the user is asked for anything.
    static func check(_ arguments: ParsedArguments) throws {
        guard let uri = arguments.value(redirectURI),
            ![printURL, DeviceSignIn.option, DirectSignIn.option].contains(where: arguments.has)
        else { return }
        // Listens for a moment; the sign-in listens again.
        _ = try LoopbackReceiver(redirectURI: uri)
    }

    static func run(
        _ client: OAuth2Client,
        _ access: SignInAccess,
        _ arguments: ParsedArguments,
        timeout: Duration,
        _ console: Console
    ) async throws -> OAuthSession {
        try await client.signIn(
            scopes: access.scopes,
            using: userAgent(client.issuer, arguments, timeout, console),
            options: options(access, arguments)
        )
    }

    /// Prints the URL; another process finishes the sign-in.
    static func printRequest(
        _ client: OAuth2Client,
        _ access: SignInAccess,
        _ arguments: ParsedArguments,
        _ console: Console
    ) async throws {
        let request = try await client.initiateAuthorization(
            scopes: access.scopes,
            options: options(access, arguments)
        )
        if arguments.has(.json) {
            let expiry = JSONNumber(request.expiresAt.secondsSince1970)
            console.printJSON(["url": .string(request.url), "expires_at": .number(expiry)])
        } else {
            console.print(SafeText.of(request.url))
            console.note(
                "open it in a browser; then give keybound login \(Login.answer.name) the URL at which the browser ends"
            )
        }
    }

    private static func options(
        _ access: SignInAccess,
        _ arguments: ParsedArguments
    ) throws -> AuthorizationOptions {
        let mode = arguments.value(responseMode).map(ResponseMode.init) ?? .query
        if arguments.has(printURL), mode == .formPost || mode == .formPostJWT {
            throw CommandFailure.usage(
                "\(printURL.name) needs a response in a URL, and \(mode.rawValue) sends it in a form",
                hint: "omit \(responseMode.name)"
            )
        }
        var options = AuthorizationOptions(responseMode: mode)
        options.resources = access.resources
        try AuthenticationOptions.set(&options, arguments)
        return options
    }

    static func userAgent(
        _ issuer: String,
        _ arguments: ParsedArguments,
        _ timeout: Duration,
        _ console: Console
    ) throws -> SystemBrowser {
        if !arguments.has(showURL) {
            console.note("signing in at \(SafeText.of(issuer)) with your browser; without one: \(showURL.name)")
        }
        let show: @Sendable (String) -> Void = { url in
            StandardStream.error.write("Open this URL in a browser on this machine:\n\n  \(SafeText.of(url))\n\n")
        }
        return arguments.has(showURL)
            ? SystemBrowser(timeout: timeout, showURL: show, launcher: NoBrowser())
            : SystemBrowser(timeout: timeout, showURL: show)
    }
}

/// Opens no browser, so that the URL is shown.
private struct NoBrowser: BrowserLauncher {
    func open(_ url: String) async throws(OAuthClientError) {
        throw OAuthClientError(.browserUnavailable, "no browser should be opened")
    }
}
#endif
