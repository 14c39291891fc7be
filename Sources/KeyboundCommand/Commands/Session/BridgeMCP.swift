// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPServer
import OAuthClient

/// `keybound mcp`.
enum BridgeMCP: Command {
    private static let login = Option.flag(
        "--login",
        "at the start, sign in with the browser unless somebody is signed in, as keybound login --mcp does"
    )
    /// What `--login` passes on.
    private static let loginOptions: [Option] = [
        KeyChoice.option, KeyFileOpening.unencrypted, BrowserSignIn.showURL, BrowserSignIn.timeout, .insecureLoopback,
    ]
    /// Without descriptors, which can be read once: the key is opened again after a sign-in.
    private static let openingOptions = AccountKey.openingOptions.filter { option in
        ![KeyFileOpening.credentialDescriptor, KeyPIN.descriptor].contains(option)
    }
    /// How long the end may take after a signal: a client that reads nothing would hold it up for ever.
    private static let endTime = Duration.seconds(10)

    static let syntax = CommandSyntax(
        "mcp",
        "let an MCP client that starts programs use an MCP server whose tokens are bound to a key",
        details: [
            "An MCP client starts this command as a local server (stdio). The command reads one JSON-RPC message from each "
                + "line of standard input, sends it to the MCP server (Streamable HTTP) with the access token and a DPoP "
                + "proof, and writes each message of the server as one line to standard output. Everything else goes to "
                + "standard error. At the end of the input it ends the session.",
            "Sign in first: keybound login --mcp URL. Until then, and when the server requires more scopes, each request is "
                + "answered with a JSON-RPC error that names the command to run; after it, the next request succeeds. "
                + "No browser opens and no question is asked while messages are passed on: give the secret of an "
                + "encrypted key with an option.",
            "At most \(MCPBridge.maximumCalls) requests may wait for their response, and a message may have "
                + "\(MCPMessage.maximumSize >> 20) MiB. Batches are rejected: MCP dropped them with revision 2025-06-18.",
        ],
        operands: [.required("URL", "the URL of the MCP server")],
        options: [login] + loginOptions + OriginPermission.options + AccountSelection.options
            + openingOptions,
        examples: [
            .init(
                "Try it by hand",
                "echo '{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/list\"}' | keybound mcp https://mcp.example.com/mcp"
            )
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let address = try arguments.requiredOperand(0)
        // Whether http is allowed was decided at the sign-in.
        let server = try MCPServerURL(address, URLPolicy(allowsInsecureHTTPOnLoopback: true))
        try requireFreeInput(arguments)
        let account = MCPAccount(of: server, arguments)
        if arguments.has(login), try await !account.isSignedIn() {
            try await signIn(server, arguments)
            // Opens the key while somebody can still be asked for its secret.
            _ = try await account.isSignedIn()
        }
        SecretPrompt.forbid()
        let output = LineOutput()
        let link = MCPServerLink(
            url: address,
            connection: account,
            output: { await output.write($0) },
            note: { console.note($0) },
            sleep: { try await Task.sleep(for: $0) }
        )
        let bridge = MCPBridge(link)
        let input = InputLines(maximumSize: MCPMessage.maximumSize)
        TerminationSignals.install()
        let ending = Task {
            guard let signal = await TerminationSignals.next() else { return }
            let code: ExitCode = signal == .interrupt ? .interrupted : .success
            Task {
                try? await Task.sleep(for: Self.endTime)
                ProcessEnd.now(code)
            }
            await bridge.end(draining: .zero)
            await SessionInterruption.finish { await account.waitForRefresh() }
            // Not by returning: the thread that reads the input waits for the next line.
            ProcessEnd.now(code)
        }
        defer { ending.cancel() }
        await bridge.run {
            let line = await input.next()
            if line == nil { endLater() }
            return line
        }
        // A signal is handled above.
        await SessionInterruption.finish(untilSignal: false) { await account.waitForRefresh() }
    }

    /// Ends the process if the bridge does not: a client that reads no more holds up whoever writes to it.
    private static func endLater() {
        Task {
            try? await Task.sleep(for: MCPBridge.drainTime + endTime)
            ProcessEnd.now(.success)
        }
    }

    /// Rejects options that would read a secret from standard input, where the messages are.
    private static func requireFreeInput(_ arguments: ParsedArguments) throws {
        guard let option = openingOptions.first(where: { arguments.value($0) == "-" }) else { return }
        throw CommandFailure.usage("\(option.name) cannot use standard input, from which the messages are read")
    }

    /// Signs in as `keybound login --mcp` does; its results go to standard error.
    private static func signIn(_ server: MCPServerURL, _ arguments: ParsedArguments) async throws {
        var given = ParsedArguments(Login.syntax)
        given.add(Login.mcp, server.text)
        for option in loginOptions + AccountSelection.options + openingOptions + [.quiet] {
            for value in arguments.values(option) { given.add(option, value) }
        }
        try await Login.run(given, Console(given, resultsTo: .error))
    }
}
#endif
