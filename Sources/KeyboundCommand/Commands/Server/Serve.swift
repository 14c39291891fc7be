// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import HTTPMessage
import HTTPServer
import JOSE
import SQLiteStorage
import ServerStorage
import SigningKeys
import StrictJSON

/// `keybound serve`.
enum Serve: Command {
    private static let checkOnly = Option.flag("--check", "check the settings and exit, without opening anything")

    static let syntax = CommandSyntax(
        "serve",
        "run the authorization server",
        details: [
            "The first start creates the database and the signing keys; nothing is ever overwritten. With the scope "
                + "openid the server is an OpenID Connect provider and signs id_tokens with an RSA key. Options "
                + "override KEYBOUND_... variables, which override the configuration file; keybound help "
                + "configuration explains each setting.",
            "The server speaks http: put a proxy in front of it that terminates TLS. On SIGTERM or Ctrl-C it finishes "
                + "the requests in progress; a second signal stops it at once.",
        ],
        options: [ServerSettings.configuration] + Setting.all.map(\.option) + [checkOnly, .json],
        examples: [
            .init(
                "Try it out on this machine",
                "keybound serve --issuer http://127.0.0.1:8080 --allow-insecure-loopback-issuer \\\n"
                    + "  --unencrypted-key-file --scope api:read='read your notes'"
            ),
            .init("Run it in production", "keybound serve --config /etc/keybound.json"),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        guard !arguments.has(checkOnly) else { return try check(arguments, console) }
        let settings = try ServerSettings(arguments, optionsFor: Setting.all)
        let (drainTimeout, drainDelay) = try draining(settings)
        let log = try ServerLog(settings)
        TerminationSignals.install()
        DescriptorLimit.raise()
        let server = try await RunningServer.start(settings, log: log)
        describe(server, try await server.keys.activeKeys(), arguments, console, log)
        let manager = ServiceManager()
        manager.tell(.ready)
        let watchdog = Watchdog.start(manager)
        if let problem = server.signatures.problem {
            log.warn("proofs are verified one by one: \(problem)")
        }
        if let limit = server.reducedConnectionLimit {
            log.warn(
                "at most \(limit) connections at once, because the process may open few files: raise LimitNOFILE= or "
                    + "ulimit -n"
            )
        }
        if let summary = ConfigurationReport(server.configuration, try Deployment(settings, ServerPaths(settings)))
            .summary
        {
            log.notice(summary)
        }
        guard let signal = await TerminationSignals.next() else {
            throw CommandFailure(.unavailable, "cannot wait for signals")
        }
        manager.tell(.stopping)
        watchdog?.cancel()
        log.notice("\(signal): finishing the requests in progress, for at most \(DurationText.text(of: drainTimeout))")
        let second = Task {
            guard await TerminationSignals.next() != nil else { return }
            log.notice("stopped at once")
            await log.writer.flush()
            ProcessEnd.now(.failure)
        }
        await server.stop(after: drainDelay, draining: drainTimeout)
        second.cancel()
        log.notice("stopped")
        await log.writer.flush()
    }

    private static func draining(_ settings: ServerSettings) throws -> (timeout: Duration, delay: Duration) {
        (
            try settings.duration(.drainTimeout, .seconds(10), atMost: DurationText.longestStop),
            try settings.duration(.drainDelay, .zero, atMost: DurationText.longestStop)
        )
    }

    private static func check(_ arguments: ParsedArguments, _ console: Console) throws {
        let report: ConfigurationReport
        do {
            report = try checked(ServerSettings(arguments, optionsFor: Setting.all), console)
        } catch {
            let failure = CommandFailure(describing: error)
            if arguments.has(.json) {
                console.printJSON(["valid": .bool(false), "findings": .array([]), "error": .string(failure.message)])
            }
            throw failure
        }
        if arguments.has(.json) {
            console.printJSON(report.json)
        } else {
            for line in report.lines { console.print(line) }
            if report.isValid { console.print("the settings are valid") }
        }
        guard report.isValid else {
            throw CommandFailure.usage(
                "the settings contradict the chosen profile",
                hint: "each error above says what to change"
            )
        }
    }

    /// Which rules settings break; throws what else would stop a start.
    private static func checked(_ settings: ServerSettings, _ console: Console) throws -> ConfigurationReport {
        _ = try draining(settings)
        _ = try ServerLog(settings)
        let report = ConfigurationReport(
            try ServerConfiguration(unchecked: settings),
            try Deployment(settings, ServerPaths(settings))
        )
        guard report.isValid else { return report }
        try checkWhatCannotStart(settings, console)
        let places = try ServerPaths(settings)
        try places.requireOwnDatabase()
        if !places.isDatabaseShared { try checkAccess(to: places.database) }
        return report
    }

    /// Rejects settings that no server could start with; opens nothing.
    static func checkWhatCannotStart(_ settings: ServerSettings, _ console: Console) throws {
        let configuration = try ServerConfiguration(settings)
        _ = try SigningKeyPolicy(settings)
        _ = try HTTPListenerLimits(settings, proxies: configuration.trustedProxies)
        _ = try settings.count(.passwordThreads)
        _ = try ServiceAddress(settings)
        _ = try ListenAddress.ofMetrics(settings)
        let places = try ServerPaths(settings)
        _ = try places.sharedDatabase
        _ = try RunningServer.replayIsInMemory(settings, places)
        if try !SigningKeyProviderSettings.check(settings) {
            console.warn("no credential is set that encrypts the signing key: only systemd can provide it")
        }
    }

    /// The database, if there is one already, must be closed to others.
    private static func checkAccess(to database: String) throws {
        do throws(StorageError) {
            try SQLiteAuthorizationStorage.checkAccess(to: database)
        } catch {
            throw CommandFailure(.unavailable, error.reason)
        }
    }

    private static func describe(
        _ server: RunningServer,
        _ keys: ServerKeys.Active,
        _ arguments: ParsedArguments,
        _ console: Console,
        _ log: ServerLog
    ) {
        if arguments.has(.json) {
            var facts: JSONObject = [
                "issuer": .string(server.configuration.issuer.description), "address": .string(server.address),
                "database": .string(server.places.database),
                "key_protection": .string(keys.protection.rawValue),
                "jkt": .string(keys.accessTokens.keyID),
            ]
            facts["signatures"] = .string(server.signatures.description)
            facts["metrics_address"] = server.metricsAddress.map { .string($0) }
            facts["id_token_jkt"] = keys.idTokens.map { .string($0.keyID) }
            console.printJSON(.object(facts))
            return
        }
        console.print("issuer     \(SafeText.of(server.configuration.issuer.description))")
        console.print("listening  \(SafeText.of(server.url))")
        if let address = server.metricsAddress { console.print("metrics    http://\(address)/metrics") }
        console.print("database   \(SafeText.of(server.places.database))")
        console.print("key        \(keys.accessTokens.keyID), \(keys.accessTokens.algorithm)")
        if let key = keys.idTokens { console.print("id_tokens  \(key.keyID), \(key.algorithm)") }
        console.print("signatures \(SafeText.of(server.signatures.description))")
        console.print("protected  \(SafeText.of(keys.place))")
        if keys.isLeftBehind {
            log.warn(
                "access tokens are signed with a key of the database, not of the token: keybound keys server rotate --now "
                    + "signs with a key of the token at once"
            )
        }
        if server.keys.place.stored?.sealer.protection == .unencryptedFile {
            log.warn("the signing key is not encrypted: anyone with a copy of it can issue access tokens")
        }
        if server.configuration.scopes.isEmpty {
            log.notice("no scopes are configured, so clients cannot request any: --scope, or 'scopes' in the file")
        }
    }
}
#endif
