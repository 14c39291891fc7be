// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import HTTPServer
import JOSE
import OAuthClient
import StrictJSON

/// The whole flow on one machine: sign in with PKCE and DPoP, call an API, refresh, sign in without a browser, and attacks
/// that fail.
struct Demo: Sendable {
    let options: DemoOptions
    let style: TerminalStyle
    /// Receives the lines of the output.
    let output: @Sendable (String) -> Void

    /// Runs the demo.
    ///
    /// - Returns: Whether everything ended as expected.
    func run() async throws -> Bool {
        let transcript = Transcript(style: style, isVerbose: options.isVerbose, output: output)
        let start = ContinuousClock.now
        // Installed before any file is created, so that a signal never leaves files behind.
        TerminationSignals.install()
        let servers = try await DemoServers.start(port: options.port) { transcript.say("server: \($0)") }
        do {
            let isGood =
                options.serve
                ? await serve(servers, transcript) : try await tourUntilSignal(servers, transcript, since: start)
            await servers.stop()
            return isGood
        } catch {
            await servers.stop()
            throw error
        }
    }

    /// Ends the tour early on Ctrl-C or SIGTERM, so that its files are removed then too.
    private func tourUntilSignal(
        _ servers: DemoServers,
        _ transcript: Transcript,
        since start: ContinuousClock.Instant
    ) async throws -> Bool {
        try await withThrowingTaskGroup(of: Bool?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await tour(servers, transcript, since: start) }
            group.addTask {
                if await TerminationSignals.next() != nil { throw CancellationError() }
                return nil
            }
            while let result = try await group.next() {
                if let isGood = result { return isGood }
            }
            throw CancellationError()
        }
    }

    private func tour(
        _ servers: DemoServers,
        _ transcript: Transcript,
        since start: ContinuousClock.Instant
    ) async throws -> Bool {
        transcript.title(
            "Keybound demo",
            "Sign in with PKCE and DPoP, call an API, then attack both. Every request is real."
        )
        introduce(servers, transcript)
        let key = try options.key.map { try DemoKey.placed($0, in: servers.keyDirectory, pin: options.pin) } ?? .memory
        transcript.fact("key of the app", key.description)
        let app = try DemoApp(servers: servers, key: key, usesBrowser: options.browser, transcript: transcript)
        if options.browser { showPassword(of: servers, transcript) }
        let session = try await signIn(app, transcript)
        let hasCalled = try await call(session, servers, transcript)
        let hasRefreshed = try await refresh(session, servers, transcript)
        let attacker = try Attacker(transcript: transcript)
        let direct = try await signInDirectly(servers, key, attacker, transcript)
        let attacks = DemoAttacks(
            servers: servers,
            app: app,
            session: session,
            attacker: attacker,
            transcript: transcript
        )
        let refused = try await attacks.run()
        let hasSignedOut = try await signOut(session, servers, transcript)
        let hasDirect = direct.isGood && direct.rejectedAttacks == DemoDirectSignIn.attackCount
        let isGood = hasCalled && hasRefreshed && hasDirect && hasSignedOut && refused == 5
        transcript.title("Result", isGood ? "PASS" : "FAIL")
        transcript.verdict(hasCalled, "signed in with PKCE and DPoP and called the API")
        transcript.verdict(hasRefreshed, "refreshed the tokens with the same key")
        transcript.verdict(
            hasDirect,
            "signed in without a browser; \(direct.rejectedAttacks) of \(DemoDirectSignIn.attackCount) attacks rejected"
        )
        transcript.verdict(refused == 5, "\(refused) of 5 attacks rejected")
        transcript.verdict(hasSignedOut, "signed out: tokens revoked at the server and deleted here, with the key")
        let elapsed = start.duration(to: .now).components
        transcript.fact("requests", "\(transcript.requests)" + (options.isVerbose ? "" : ", shown with --verbose"))
        transcript.fact("time", "\(elapsed.seconds).\(elapsed.attoseconds / 100_000_000_000_000_000) s")
        return isGood
    }

    private func introduce(_ servers: DemoServers, _ transcript: Transcript) {
        transcript.scene("The setup")
        transcript.fact("authorization server", "\(servers.issuer)   (SQLite: \(servers.databasePath))")
        transcript.fact("API", "\(servers.apiAddress)/notes   (needs the scope \(NotesAPI.scope))")
        transcript.fact("app", "client_id \(DemoServers.clientID), a public client: it has no secret")
        transcript.fact("user", DemoServers.username)
    }

    private func showPassword(of servers: DemoServers, _ transcript: Transcript) {
        transcript.fact("password", "\(servers.password)   (generated for this run)")
    }

    private func signIn(_ app: DemoApp, _ transcript: Transcript) async throws -> OAuthSession {
        transcript.scene("Sign in")
        transcript.explain(
            """
            The app finds the endpoints (RFC 8414), makes a key, and pushes its request (RFC 9126) with the challenge of a \
            code verifier (PKCE, RFC 7636) and a proof that it holds the key (DPoP, RFC 9449). A first proof has no nonce; \
            the server issues one and the app retries.
            """
        )
        let session = try await app.client.signIn(scopes: ["openid", NotesAPI.scope], using: app.userAgent)
        let tokens = try await session.tokenManager.fetch()
        let key = tokens.keyThumbprint.map { "the key \($0)" } ?? "nothing"
        transcript.verdict(tokens.keyThumbprint != nil, "signed in; the tokens are bound to \(key)")
        let protection = try await session.keyProtection()
        transcript.verdict(protection != nil, "key storage: \(protection?.rawValue ?? "nowhere")")
        transcript.verdict(
            tokens.idToken != nil,
            "the id_token identifies the user: \(tokens.idToken?.subject ?? "none")"
        )
        return session
    }

    private func call(_ session: OAuthSession, _ servers: DemoServers, _ transcript: Transcript) async throws -> Bool {
        transcript.scene("Call the API")
        transcript.explain(
            "Each call carries the token and a proof for this method, this URL, this token (ath) and this nonce."
        )
        return try await callNotes(session, servers, transcript)
    }

    private func refresh(_ session: OAuthSession, _ servers: DemoServers, _ transcript: Transcript) async throws -> Bool
    {
        transcript.scene("Refresh")
        transcript.explain(
            "The refresh token works once, and only with a proof by the same key. The response replaces it with a new "
                + "one."
        )
        let before = try await session.tokenManager.fetch()
        let after = try await session.tokenManager.refresh()
        let isNew = before.accessToken != after.accessToken && before.refreshToken != after.refreshToken
        transcript.verdict(isNew, "both tokens are new")
        return try await callNotes(session, servers, transcript) && isNew
    }

    private func signInDirectly(
        _ servers: DemoServers,
        _ key: DemoKey,
        _ attacker: Attacker,
        _ transcript: Transcript
    ) async throws -> DemoDirectSignIn.Result {
        let app = try DemoApp(
            servers: servers,
            clientID: DemoServers.firstPartyClientID,
            authentication: .attested(by: attester(for: key, servers, transcript)),
            key: key,
            usesBrowser: options.browser,
            transcript: transcript
        )
        return try await DemoDirectSignIn(servers: servers, app: app, attacker: attacker, transcript: transcript).run()
    }

    private func attester(for key: DemoKey, _ servers: DemoServers, _ transcript: Transcript) -> any ClientAttester {
        #if os(Linux)
        if let attester = DemoTPMAttester(servers.attester, for: key, transcript) { return attester }
        #endif
        return servers.attester
    }

    private func callNotes(
        _ session: OAuthSession,
        _ servers: DemoServers,
        _ transcript: Transcript
    ) async throws -> Bool {
        let response = try await session.send(HTTPRequest(target: servers.apiAddress + "/notes"))
        let isGood = response.status == 200 && !response.body.isEmpty
        transcript.verdict(isGood, isGood ? "the API returned the notes" : "the API did not return the notes")
        return isGood
    }

    private func signOut(_ session: OAuthSession, _ servers: DemoServers, _ transcript: Transcript) async throws -> Bool
    {
        transcript.scene("Sign out")
        if let failure = await session.signOut().failure { throw failure }
        do {
            _ = try await session.tokenManager.fetch()
            return false
        } catch {
            transcript.verdict(error.code == .sessionEnded, "the session has ended: \(error.reason)")
            return error.code == .sessionEnded
        }
    }

    private func serve(_ servers: DemoServers, _ transcript: Transcript) async -> Bool {
        if options.json { output(description(of: servers)) } else { describe(servers, transcript) }
        _ = await TerminationSignals.next()
        return true
    }

    private func description(of servers: DemoServers) -> String {
        let object: JSONObject = [
            "issuer": .string(servers.issuer), "api": .string(servers.apiAddress),
            "client_id": .string(DemoServers.clientID), "scope": .string(NotesAPI.scope),
            "username": .string(DemoServers.username), "password": .string(servers.password),
        ]
        return String(decoding: JSONValue.object(object).encoded(), as: UTF8.self)
    }

    private func describe(_ servers: DemoServers, _ transcript: Transcript) {
        transcript.title("Keybound demo servers", "They run until you press Ctrl-C; all their files are deleted then.")
        introduce(servers, transcript)
        showPassword(of: servers, transcript)
        transcript.scene("Sign in with your browser, from another terminal")
        let command = CommandLine.arguments.first ?? "keybound"
        transcript.command(
            "\(command) login \(servers.issuer) --client-id \(DemoServers.clientID) --scope \(NotesAPI.scope) "
                + "--allow-insecure-loopback --unencrypted-key-file"
        )
        transcript.command("\(command) request GET \(servers.apiAddress)/notes")
        transcript.command("\(command) logout")
    }
}
