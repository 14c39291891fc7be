// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import DPoP
import Gateway
import HTTPMessage
import HTTPServer
import OAuthCore
import OAuthSystem
import Synchronization

/// A gateway that listens, from start to orderly stop.
final class RunningGateway: Sendable {
    private struct Current {
        let engine: GatewayEngine
        let tokens: GatewayBuilder.TokenMemory
    }

    private let file: String
    private let builder: GatewayBuilder
    private let log: ServerLog
    private let decisions: GatewayLog
    private let metrics = GatewayMetrics()
    private let current: Mutex<Current>
    private let isReady = Atomic<Bool>(false)
    private let isDraining = Atomic<Bool>(false)
    private let listener = Mutex<HTTPListener?>(nil)
    private let operatorListener = Mutex<HTTPListener?>(nil)
    private let refreshing = Mutex<Task<Void, Never>?>(nil)

    /// How often the keys of the issuer are looked at, so that no request waits for them.
    private static let refreshInterval: Duration = .seconds(10)
    /// While there are no keys, every request gets 503.
    private static let retryInterval: Duration = .seconds(1)

    private init(file: String, settings: GatewaySettings, log: ServerLog) throws {
        self.file = file
        self.log = log
        let decisions = GatewayLog(log)
        self.decisions = decisions
        builder = GatewayBuilder(settings)
        let (engine, tokens) = try builder.engine(settings, report: Self.report(decisions, metrics))
        current = Mutex(Current(engine: engine, tokens: tokens))
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

    /// Listens, and begins to fetch the keys of the issuer.
    static func start(file: String, settings: GatewaySettings, log: ServerLog) throws -> RunningGateway {
        let gateway = try RunningGateway(file: file, settings: settings, log: log)
        let place = try ServiceAddress(settings.listen, mode: settings.socketMode, place: settings.listenPlace)
        var limits = HTTPListenerLimits()
        limits.bodySize = 0
        limits.acceptsChunkedBodies = false
        limits.requestDeadline = .seconds(5)
        limits.trustedPeers = settings.trustedPeers
        let listener = try HTTPListener(on: place.address, limits: limits, refused: log.refused) { request in
            await gateway.respond(to: request)
        }
        gateway.listener.withLock { $0 = listener }
        if let metrics = settings.metricsListen { try gateway.serveMetrics(metrics) }
        gateway.refreshing.withLock { $0 = gateway.refreshKeys(settings) }
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

    /// Reads rules and secrets anew, all or nothing; addresses to listen on and the issuer stay.
    func reload() {
        do {
            let settings = try GatewaySettings(file: file)
            let (engine, tokens) = try builder.engine(settings, report: Self.report(decisions, metrics))
            current.withLock { $0 = Current(engine: engine, tokens: tokens) }
            log.notice("the configuration was read again")
        } catch {
            let reason = CommandFailure(describing: error).message
            log.warn("the configuration was not read again, the rules of before stay: \(reason)")
        }
    }

    func stop(draining: Duration) async {
        isDraining.store(true, ordering: .relaxed)
        refreshing.withLock { $0?.cancel() }
        let listeners = [listener.withLock { $0 }, operatorListener.withLock { $0 }]
        await listeners[0]?.stop(draining: draining)
        await listeners[1]?.stop(draining: .zero)
        await log.writer.flush()
    }

    private func refreshKeys(_ settings: GatewaySettings) -> Task<Void, Never>? {
        guard settings.introspection == nil else {
            isReady.store(true, ordering: .relaxed)
            return nil
        }
        return Task {
            var wasReady: Bool?
            while !Task.isCancelled {
                let isReady = (try? await builder.keys.keySet(forKeyID: nil)) != nil
                self.isReady.store(isReady, ordering: .relaxed)
                if !isReady, wasReady ?? true { log.warn("the keys of the issuer cannot be fetched; requests get 503") }
                if isReady, wasReady == false { log.notice("the keys of the issuer are here") }
                wasReady = isReady
                try? await Task.sleep(for: isReady ? Self.refreshInterval : Self.retryInterval)
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
        if !isReady.load(ordering: .relaxed) { return Self.page(503, "the keys of the issuer cannot be fetched\n") }
        return Self.page(200, "ok\n")
    }

    private var metricsText: String {
        var text = PrometheusText()
        metrics.write(to: &text)
        let tokens = current.withLock { $0.tokens }
        text.single("keybound_gateway_tokens_remembered", "gauge", "Access tokens remembered.", Optional(tokens.count))
        text.single(
            "keybound_gateway_token_memory_hits_total",
            "counter",
            "Verifications of signatures spared by remembered tokens.",
            Optional(tokens.hits)
        )
        text.single(
            "keybound_replay_store_proofs",
            "gauge",
            "Used proofs recorded in memory.",
            Optional(builder.replay.count)
        )
        text.single(
            "keybound_log_lines_lost_total",
            "counter",
            "Log lines dropped because there were too many.",
            Optional(log.writer.lostLines + decisions.droppedLines)
        )
        text.single("process_resident_memory_bytes", "gauge", "Memory in use.", ProcessFacts.residentMemory())
        text.single("process_cpu_seconds_total", "counter", "Processor time.", Optional(ProcessFacts.processorTime()))
        return text.text
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
