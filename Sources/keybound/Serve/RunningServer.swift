// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import DPoP
import HTTPServer
import OAuthSystem
import SQLiteStorage
import ServerStorage

/// An authorization server that answers on a socket, from start to orderly stop.
struct RunningServer: Sendable {
    let configuration: ServerConfiguration
    let places: ServerPlaces
    let keys: ServerKeys
    /// What verifies signatures.
    let signatures: SignatureBackend
    /// Where it listens, with the port that it got.
    let address: String
    /// Where monitoring is answered; `nil` for nowhere.
    var metricsAddress: String? { operatorListener?.address }
    private let storage: SQLiteAuthorizationStorage
    private let listener: HTTPListener
    private let operatorListener: OperatorListener?
    private let readiness: Readiness
    private let audit: AuditLog?
    private let cleaning: Task<Void, Never>
    private let rotating: Task<Void, Never>

    /// Opens key and database, makes them at the first start, and listens.
    static func start(
        _ settings: ServerSettings,
        log: ServerLog
    ) async throws -> RunningServer {
        #if canImport(Glibc)
        ProcessMemory.sharePools()
        #endif
        // What can be wrong with the settings is said before anything is made.
        var configuration = try ServerConfiguration(settings)
        let policy = try SigningKeyPolicy(settings)
        let (listen, metricsListen) = (try ListenAddress(settings), try ListenAddress.ofMetrics(settings))
        let replayIsInMemory = try replayIsInMemory(settings)
        let places = try ServerPlaces(settings)
        try places.makeDirectories()
        let keyPlace = try SigningKeyPlaceSettings(settings)
        let storage = try await SQLiteAuthorizationStorage(path: places.database)
        let keys = try await ServerKeys(keyPlace, policy, in: places.keyDirectory, configuration, storage)
        let audit = try AuditLog(settings, failed: log.warn)
        let signatures = SignatureBackend(settings)
        configuration.signatures = signatures.batcher
        // Also without an audit log: what tells services to open their files again must not end them.
        HangupSignal.handle { audit?.reopen() }
        let metrics = ServerMetrics()
        let replay = replayIsInMemory ? MemoryReplayStore() : nil
        let sinks = AuditSinks(all: [metrics] + (audit.map { [$0] } ?? []))
        let engine = try await makeEngine(configuration, keys, storage, replay, sinks, log)
        let readiness = Readiness(storage, engine)
        let pipeline = RequestPipeline(
            engine: engine,
            proxies: configuration.trustedProxies,
            readiness: readiness,
            log: log,
            metrics: metrics,
            entropy: SystemEntropy()
        )
        let gauges = OperatorListener.Gauges(
            storage: storage,
            replay: replay,
            log: log,
            audit: audit,
            signatures: signatures.batcher,
            startedAt: SystemWallClock().now()
        )
        let operatorListener = try metricsListen.map { try OperatorListener($0, metrics, gauges, readiness) }
        let listener = try HTTPListener(
            address: listen.address,
            port: listen.port,
            refused: pipeline.refused,
            handler: pipeline.respond
        )
        return RunningServer(
            configuration: configuration,
            places: places,
            keys: keys,
            signatures: signatures,
            address: listen.text(port: listener.port),
            storage: storage,
            listener: listener,
            operatorListener: operatorListener,
            readiness: readiness,
            audit: audit,
            cleaning: clean(storage, metrics, log.warn),
            rotating: rotate(engine, every: policy.refreshInterval)
        )
    }

    private static func makeEngine(
        _ configuration: ServerConfiguration,
        _ keys: ServerKeys,
        _ storage: SQLiteAuthorizationStorage,
        _ replay: MemoryReplayStore?,
        _ audit: AuditSinks,
        _ log: ServerLog
    ) async throws -> AuthorizationEngine {
        try await keys.explainingFailures { ring in
            try await AuthorizationEngine(
                configuration: configuration,
                storage: storage,
                keys: ring,
                replay: replay ?? storage,
                // A process that remembers proofs by itself must not accept nonces that another process made.
                nonceSecrets: replay == nil ? storage : MemoryAuthorizationStorage(),
                audit: audit,
                report: log.warn
            )
        }
    }

    /// How many connections may be open at once when file descriptors are too few for the usual limit.
    var reducedConnectionLimit: Int? {
        listener.connectionLimit < HTTPListenerLimits().connections ? listener.connectionLimit : nil
    }

    /// Is not ready any more, and after the delay answers what is under way, then closes the database.
    func stop(after delay: Duration, draining: Duration) async {
        readiness.drain()
        try? await Task.sleep(for: delay)
        await listener.stop(draining: draining)
        for task in [cleaning, rotating] { task.cancel() }
        for task in [cleaning, rotating] { await task.value }
        await storage.close()
        await operatorListener?.stop()
        await audit?.writer.flush()
    }

    /// Whether used proofs are remembered by this process alone.
    static func replayIsInMemory(_ settings: ServerSettings) throws -> Bool {
        switch settings.text(.replayStore) {
        case nil, "memory": return true
        case "database": return false
        default: throw CommandFailure.usage("\(settings.place(of: .replayStore)) is neither memory nor database")
        }
    }

    /// Replaces keys when their time has come, and notices what an operator changed.
    private static func rotate(_ engine: AuthorizationEngine, every interval: Duration) -> Task<Void, Never> {
        Task {
            while true {
                try? await Task.sleep(for: interval)
                if Task.isCancelled { return }
                await engine.rotateSecrets()
            }
        }
    }

    /// Deletes what has expired, every minute, a little at a time.
    private static func clean(
        _ storage: SQLiteAuthorizationStorage,
        _ metrics: ServerMetrics,
        _ report: @escaping @Sendable (String) -> Void
    ) -> Task<Void, Never> {
        let collector = ExpiryCollector(clock: SystemWallClock(), delete: storage.deleteExpired)
        return Task {
            await collector.run(sleepingOn: ContinuousClock(), counted: metrics.countExpired, report: report)
        }
    }
}
#endif
