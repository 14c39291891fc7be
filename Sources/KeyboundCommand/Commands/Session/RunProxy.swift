// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import HTTPServer
import OAuthClient
import OAuthCore
import OAuthSystem
import StrictJSON

/// `keybound proxy`.
enum RunProxy: Command {
    /// The size of a request, and what the client library accepts of a response.
    private static let bodySize = 64 << 20
    /// How many connections a port may have.
    private static let portConnections = 16
    /// How long the API may be silent.
    private static let timeout = Duration.seconds(300)

    static let syntax = CommandSyntax(
        "proxy",
        "let programs that cannot make proofs call an API",
        details: [
            "Listens on this machine, and forwards each request to the API with the access token and a new DPoP proof: "
                + "for curl, Postman, k6, a generated client. Nonces and the refresh of an expired access token are "
                + "handled silently. Ctrl-C ends it.",
            "By default it listens on a socket that only you can connect to. With \(ProxyPlace.port.name), every "
                + "request must have the field \(ProxyEntrance.field) with the secret that is printed at the start, "
                + "because other users and web pages can reach a port. Requests of web pages (with an Origin field), "
                + "and those whose Host is not localhost, 127.0.0.1 or [::1], get 403. A port serves "
                + "\(portConnections) connections at a time; others wait.",
            "Requests go to this origin only. Redirects are passed on, not followed. Method, path, query, body and "
                + "fields stay as they are, except Authorization, DPoP, Proxy-* and the fields of the connection. "
                + "Bodies have at most 64 MiB: a larger request gets 413, and in place of a larger response comes 502. "
                + "A response is passed on when it is complete, so streams of events do not work.",
            "When you have to sign in again, programs get 502 with a text that says so.",
            "Without --issuer, --client-id and --account, the account is used that signed in for this API (login "
                + "--api), else the last one. If several did, the command uses the one that signed in last, or fails and "
                + "lists them if that one is not among them. For an origin that the account did not sign in for, the command asks "
                + "once, and remembers; without a terminal, \(OriginPermission.allowed.name) permits it.",
        ],
        operands: [.required("API_ORIGIN", "scheme, host and port of the API, such as https://api.example.com")],
        options: ProxyPlace.options + OriginPermission.options + AccountSelection.options + AccountKey.openingOptions
            + [.json],
        examples: [
            .init("For a program that can use a socket", "keybound proxy https://api.example.com"),
            .init("For one that cannot", "keybound proxy https://api.example.com --port 8123"),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let origin = try origin(arguments)
        let place = try ProxyPlace(arguments, origin: origin)
        let directory = try AccountDirectory()
        let record = try AccountSelection.record(arguments, for: origin + "/", in: directory)
        // Before the key is opened, which may ask for a passphrase.
        try OriginPermission.require(origin, record, in: directory, arguments)
        let stored = try await StoredSession(opening: record, in: directory, arguments)
        let session = stored.session
        let interruption = SessionInterruption.handle(session)
        let granted = try await stored.use { session in
            // Opens the key, which may ask for a PIN, and notices a session that has ended, before a program waits for it.
            _ = try await session.authorization(method: "GET", url: origin + "/")
            // A new sign-in asks for the same scopes, neither more nor less.
            return try await session.tokenManager.fetch().scope.tokens
        }
        let secret = place.socketPath == nil ? Base64URL.encode(SystemEntropy().bytes(32)) : nil
        let proxy = LocalProxy(
            origin: origin,
            entrance: ProxyEntrance(secret: secret),
            advice: { LocalProxy.advice(record, granted: granted, meeting: $0) },
            send: { try await session.send($0, maximumBodySize: Self.bodySize, timeout: Self.timeout) }
        )
        // From here on a signal that comes early is kept.
        interruption.cancel()
        await interruption.value
        let listener = try place.listen(limits(hasSecret: secret != nil), proxy.respond)
        describe(place, listener.port, origin, record, secret, arguments, console)
        guard await TerminationSignals.next() != nil else {
            throw CommandFailure(.unavailable, "cannot wait for signals")
        }
        let second = Task {
            guard await TerminationSignals.next() != nil else { return }
            ProcessEnd.now(.success)
        }
        await listener.stop(draining: .seconds(5))
        await SessionInterruption.finish { await session.tokenManager.waitForRefresh() }
        second.cancel()
    }

    private static func origin(_ arguments: ParsedArguments) throws -> String {
        guard let uri = try? URI(parsing: arguments.requiredOperand(0)), let origin = uri.origin, uri.userinfo == nil,
            uri.path.isEmpty || uri.path == "/", uri.query == nil, uri.fragment == nil
        else {
            throw CommandFailure.usage(
                "the operand is not the origin of an API",
                hint: "write scheme, host and port alone, such as https://api.example.com"
            )
        }
        return origin
    }

    /// Its clients are programs of the user, and an API may be slow.
    ///
    /// At a port, requests have a secret; but their bodies are in memory before it is checked, and any user of the machine can
    /// send one. There, few connections and a short time for the body keep the memory in bounds, and the places free.
    static func limits(hasSecret: Bool) -> HTTPListenerLimits {
        var limits = HTTPListenerLimits()
        limits.bodySize = bodySize
        // No other parser has read the chunks before, and the body is sent on with its length.
        limits.acceptsChunkedBodies = true
        limits.connections = hasSecret ? portConnections : 256
        limits.bodyTimeout = .seconds(hasSecret ? 30 : 600)
        limits.answerTimeout = .seconds(600)
        limits.requestDeadline = .seconds(600)
        return limits
    }

    private static func describe(
        _ place: ProxyPlace,
        _ port: UInt16,
        _ origin: String,
        _ record: AccountRecord,
        _ secret: String?,
        _ arguments: ParsedArguments,
        _ console: Console
    ) {
        let address = place.socketPath ?? "http://127.0.0.1:\(port)"
        if arguments.has(.json) {
            var facts: JSONObject = [
                "origin": .string(origin), "issuer": .string(record.account.issuer),
                "account": .string(record.account.name), "address": .string(address),
            ]
            facts["secret"] = secret.map { .string($0) }
            console.printJSON(.object(facts))
            return
        }
        console.print("API        \(SafeText.of(origin))")
        console.print("account    \(SafeText.of("\(record.account.name) at \(record.account.issuer)"))")
        if let secret { console.print("secret     \(ProxyEntrance.field): \(secret)") }
        console.print("listening  \(SafeText.of(address))")
        if let path = place.socketPath {
            console.note("try: curl --unix-socket \(ShellCompletion.quoted(path)) http://localhost/")
        }
    }
}
#endif
