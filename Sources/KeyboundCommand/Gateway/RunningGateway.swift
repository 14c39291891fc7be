// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import DPoP
import Gateway
import HTTPMessage
import HTTPServer
import OAuthCore
import OAuthSystem
import RedisReplay
import Synchronization

/// A gateway that listens, from start to orderly stop.
final class RunningGateway: Sendable {
    private struct Current {
        let engine: GatewayEngine
        let tokens: GatewayBuilder.TokenMemory
        let issuers: GatewayIssuers
    }

    private struct Watched: Sendable {
        let dependency: GatewayDependency
        var task: Task<Void, Never>?
    }

    private let file: String
    /// What it keeps until it ends, as the configuration had it at the start.
    private let kept: [(name: String, value: String)]
    /// The peers whose connections the listener does not limit.
    private let trustedPeers: [IPAddressRange]
    private let builder: GatewayBuilder
    private let log: ServerLog
    private let decisions: GatewayLog
    private let metrics = GatewayMetrics()
    private let current: Mutex<Current>
    private let isDraining = Atomic<Bool>(false)
    private let listener = Mutex<HTTPListener?>(nil)
    private let operatorListener = Mutex<HTTPListener?>(nil)
    /// What it depends on, by the settings in force.
    private let watched: Mutex<[Watched]>
    private let startedAt = SystemWallClock().now()

    private init(file: String, settings: GatewaySettings, log: ServerLog) throws {
        self.file = file
        kept = Self.kept(settings)
        trustedPeers = settings.trustedPeers
        self.log = log
        let decisions = GatewayLog(log)
        self.decisions = decisions
        builder = GatewayBuilder(settings)
        let issuers = builder.issuers
        watched = Mutex(Self.dependencies(builder, settings, issuers).map { Watched(dependency: $0) })
        let (engine, tokens) = try builder.engine(settings, issuers, report: Self.report(decisions, metrics))
        current = Mutex(Current(engine: engine, tokens: tokens, issuers: issuers))
    }

    private static func report(
        _ log: GatewayLog,
        _ metrics: GatewayMetrics
    ) -> @Sendable (GatewayDecision) -> Void {
        { decision in
            metrics.count(decision)
            log.decision(decision)
        }
    }

    private static func dependencies(
        _ builder: GatewayBuilder,
        _ settings: GatewaySettings,
        _ issuers: GatewayIssuers
    ) -> [GatewayDependency] {
        var dependencies: [GatewayDependency] = []
        if settings.introspection == nil {
            // By the start, so that a name stays when another issuer is dropped.
            let isOnly = builder.issuers.further.isEmpty
            dependencies = issuers.all.map { GatewayDependency(keysOf: $0, isOnly: isOnly) }
        }
        if builder.replay.redis != nil {
            dependencies.append(
                GatewayDependency("Redis, which stores used proofs,", every: .seconds(1)) {
                    [replay = builder.replay] in try await replay.look()
                }
            )
        }
        return dependencies
    }

    /// Listens, and begins to look at what it depends on.
    ///
    /// - Throws: ``CommandFailure`` if an address cannot be used, or Redis is not set up as it must be. One that is away is
    ///   waited for.
    static func start(file: String, settings: GatewaySettings, log: ServerLog) async throws -> RunningGateway {
        let gateway = try RunningGateway(file: file, settings: settings, log: log)
        do throws(RedisReplayError) {
            try await gateway.builder.replay.look()
        } catch {
            // One that is away is logged by its watch.
            guard error.code == .unavailable else { throw CommandFailure.usage("'redis': \(error.reason)") }
        }
        let place = try ServiceAddress(settings.listen, mode: settings.socketMode, place: settings.listenPlace)
        var limits = HTTPListenerLimits()
        limits.bodySize = 0
        limits.requestDeadline = .seconds(5)
        // Proxies send what the client sent, such as a Referer in Latin-1; nginx makes 503 of a check request that gets 400.
        limits.replacesUnreadableValues = true
        limits.trustedPeers = settings.trustedPeers
        let listener = try HTTPListener(on: place.address, limits: limits, refused: log.refused) { request in
            await gateway.respond(to: request)
        }
        gateway.listener.withLock { $0 = listener }
        if let metrics = settings.metricsListen { try gateway.serveMetrics(metrics) }
        gateway.watch(settings, gateway.builder.issuers)
        return gateway
    }

    /// The listening address, with the actual port.
    func address(_ settings: GatewaySettings) throws -> String {
        let port = listener.withLock { $0?.port ?? 0 }
        return settings.listen == "systemd"
            ? settings.listen
            : try ServiceAddress(settings.listen, mode: 0, place: settings.listenPlace).text(port: port)
    }

    /// The port for monitoring; `nil` for none.
    var metricsPort: UInt16? { operatorListener.withLock { $0?.port } }

    private func respond(to request: HTTPRequest) async -> HTTPResponse {
        let start = ContinuousClock.now
        let engine = current.withLock { $0.engine }
        let response = await engine.respond(to: request)
        metrics.count(start.duration(to: .now))
        return response
    }

    /// Reads rules and secrets again, all or nothing; what ``kept(_:)`` lists stays.
    func reload() {
        do {
            let settings = try GatewaySettings(file: file)
            let former = current.withLock { $0.issuers }
            let usesKeys = settings.introspection == nil
            let issuers = usesKeys ? former.listed(in: settings) : former
            let (engine, tokens) = try builder.engine(settings, issuers, report: Self.report(decisions, metrics))
            builder.replay.use(settings.redis)
            current.withLock { $0 = Current(engine: engine, tokens: tokens, issuers: issuers) }
            watch(settings, issuers)
            for name in former.names(notIn: issuers) {
                log.notice("tokens of the issuer \(SafeText.of(name)) are no longer accepted")
            }
            // What says where the keys are does not wait for a restart if tokens are introspected.
            let waiting = usesKeys ? issuers.waiting(in: settings) : []
            let changed = zip(kept, Self.kept(settings))
                .filter { Self.ofKeys.contains($0.name) ? waiting.contains($0.name) : $0.value != $1.value }
                .map { "'\($0.0.name)'" }
            if !changed.isEmpty { log.warn("in use only after a restart: \(changed.joined(separator: ", "))") }
            if settings.trustedPeers != trustedPeers {
                log.warn(
                    "'trustedProxies' decides at once who may send check requests, but exempts proxies from connection limits only after a restart"
                )
            }
            log.notice("the configuration was read again")
        } catch {
            let reason = CommandFailure(describing: error).message
            log.warn("the configuration was not read again, the rules of before stay: \(reason)")
        }
    }

    /// What says where the keys are, by its name in the file: ``GatewayIssuers`` knows what changed.
    private static let ofKeys = ["issuer", "jwksURI", "issuers"]

    /// What is read at the start only, by its name in the file.
    private static func kept(_ settings: GatewaySettings) -> [(name: String, value: String)] {
        [
            ("listen", settings.listen), ("socketMode", String(settings.socketMode, radix: 8)),
            ("metricsListen", settings.metricsListen.map { "\($0.address) \($0.port)" } ?? ""),
            ("issuer", ""), ("jwksURI", ""), ("issuers", ""),
            ("redis.address", settings.redis?.configuration.address.description ?? ""),
            ("logFormat", settings.logFormat.rawValue), ("logLevel", settings.logLevel.rawValue),
            ("drainTimeout", "\(settings.drainTimeout)"),
        ]
    }

    func stop(draining: Duration) async {
        isDraining.store(true, ordering: .relaxed)
        for entry in watched.withLock(\.self) { entry.task?.cancel() }
        let listeners = [listener.withLock { $0 }, operatorListener.withLock { $0 }]
        await listeners[0]?.stop(draining: draining)
        await listeners[1]?.stop(draining: .zero)
        await log.writer.flush()
    }

    /// Looks at what the settings need, and no longer at what they do not.
    private func watch(_ settings: GatewaySettings, _ issuers: GatewayIssuers) {
        let needed = Self.dependencies(builder, settings, issuers)
        watched.withLock { watched in
            let former = watched
            for entry in former where !needed.contains(where: { $0.name == entry.dependency.name }) {
                entry.task?.cancel()
            }
            watched = needed.map { dependency in
                var entry = former.first { $0.dependency.name == dependency.name } ?? Watched(dependency: dependency)
                if entry.task == nil {
                    let dependency = entry.dependency
                    entry.task = Task { [log] in await dependency.watch(log) }
                }
                return entry
            }
        }
    }

    private func serveMetrics(_ address: ListenAddress) throws {
        var limits = HTTPListenerLimits()
        limits.connections = 32
        let listener = try HTTPListener(address: address.address, port: address.port, limits: limits, threads: 1) {
            [self] request in
            switch request.path {
            case "/health": Self.page(200, "ok\n")
            case "/ready": readiness
            case "/metrics": Self.page(200, metricsText, type: PrometheusText.mediaType)
            default: Self.page(404, "no\n")
            }
        }
        operatorListener.withLock { $0 = listener }
    }

    private var readiness: HTTPResponse {
        if isDraining.load(ordering: .relaxed) { return Self.page(503, "the gateway is stopping\n") }
        let dependencies = watched.withLock { $0.map(\.dependency) }
        let away = dependencies.filter(\.isAway)
        let lines = away.map { $0.name + " cannot be reached\n" }.joined()
        // While one of several issuers is away, the tokens of the others are accepted.
        let issuers = dependencies.filter { $0.issuer != nil }
        let hasIssuer = issuers.isEmpty || issuers.contains { !$0.isAway }
        guard hasIssuer, !away.contains(where: { $0.issuer == nil }) else { return Self.page(503, lines) }
        return Self.page(200, "ok\n" + lines)
    }

    private var metricsText: String {
        var text = PrometheusText()
        metrics.write(to: &text)
        let tokens = current.withLock { $0.tokens }
        text.single("keybound_gateway_tokens_remembered", "gauge", "Cached access tokens.", Optional(tokens.count))
        text.single(
            "keybound_gateway_token_memory_hits_total",
            "counter",
            "Signature verifications saved by cached tokens.",
            Optional(tokens.hits)
        )
        text.single(
            "keybound_replay_store_proofs",
            "gauge",
            "Used proofs recorded in memory.",
            builder.replay.memory.map(\.count)
        )
        text.single(
            "keybound_replay_store_up",
            "gauge",
            "Whether Redis, which stores used proofs, responds: 1, or 0.",
            builder.replay.redis.map { $0.isAway ? 0 : 1 }
        )
        writeIssuers(to: &text)
        text.single(
            "keybound_log_lines_lost_total",
            "counter",
            "Log lines that could not be written, or not fast enough.",
            Optional(log.writer.lostLines + decisions.droppedLines)
        )
        text.process(since: startedAt)
        return text.text
    }

    private func writeIssuers(to text: inout PrometheusText) {
        let issuers = watched.withLock { $0.map(\.dependency) }.filter { $0.issuer != nil }
        guard !issuers.isEmpty else { return }
        let help = "Whether the gateway has keys of the issuer: 1, or 0."
        text.family("keybound_gateway_issuer_keys_up", "gauge", help) { text in
            for keys in issuers { text.sample(keys.isAway ? 0 : 1, ["issuer": keys.issuer ?? ""]) }
        }
    }

    private static func page(_ status: Int, _ text: String, type: String = "text/plain; charset=utf-8") -> HTTPResponse
    {
        HTTPResponse(
            status: status,
            fields: ["Content-Type": type, "Cache-Control": "no-store"],
            body: Array(text.utf8)
        )
    }
}
#endif
