// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import DPoP
import HTTPServer
import OAuthSystem
import ServerStorage

/// An authorization server that listens on a socket, from start to orderly stop.
struct RunningServer: Sendable {
    let configuration: ServerConfiguration
    let places: ServerPaths
    let keys: ServerKeys
    /// What verifies signatures.
    let signatures: SignatureBackend
    /// The listening address, with the actual port.
    let address: String
    /// The address as a client on this machine uses it, if it can.
    let url: String
    /// The address for monitoring; `nil` for none.
    var metricsAddress: String? { operatorListener?.address }
    private let database: ServerDatabase
    private let listener: HTTPListener
    private let limits: HTTPListenerLimits
    private let operatorListener: OperatorListener?
    private let readiness: Readiness
    private let audit: AuditLog?
    private let cleaning: Task<Void, Never>
    private let rotating: Task<Void, Never>

    /// What the settings say.
    private struct Plan {
        var configuration: ServerConfiguration
        let policy: SigningKeyPolicy
        let limits: HTTPListenerLimits
        let listen: ServiceAddress
        let metricsListen: ListenAddress?
        let passwords: PasswordHasher
        let places: ServerPaths
        let replayIsInMemory: Bool

        /// Checks all settings, and creates nothing.
        init(_ settings: ServerSettings) throws {
            configuration = try ServerConfiguration(settings)
            policy = try SigningKeyPolicy(settings)
            limits = try HTTPListenerLimits(settings, proxies: configuration.trustedProxies)
            listen = try ServiceAddress(settings)
            metricsListen = try ListenAddress.ofMetrics(settings)
            passwords = try PasswordHasher(settings)
            places = try ServerPaths(settings)
            _ = try places.sharedDatabase
            replayIsInMemory = try RunningServer.replayIsInMemory(settings, places)
            try configuration.requireNoErrors(in: Deployment(settings, places))
        }
    }

    /// Opens the keys and the database, creates them at the first start, and listens.
    static func start(_ settings: ServerSettings, log: ServerLog) async throws -> RunningServer {
        #if canImport(Glibc)
        ProcessMemory.sharePools()
        #endif
        var plan = try Plan(settings)
        try plan.places.makeDirectories()
        let keyPlace = try SigningKeyProviderSettings(settings)
        let database = try await ServerDatabase.open(plan.places)
        if let warning = database.warning { log.warn(warning) }
        let storage = database.storage
        let audit = try AuditLog(settings, failed: log.warn)
        let metrics = ServerMetrics()
        let sinks = AuditSinks(all: [metrics] + (audit.map { [$0] } ?? []))
        let clocks = ClockComparison(of: storage, report: log.warn)
        let keys = try await openKeys(keyPlace, plan, storage, OperatorTrail(sinks), clocks)
        let signatures = SignatureBackend(settings)
        plan.configuration.signatures = signatures.batcher
        try await warnAboutAttesters(plan.configuration, storage, log)
        // Installed without an audit log too: SIGHUP, which asks services to reopen their files, must not end the
        // server.
        HangupSignal.handle { audit?.reopen() }
        let replay = plan.replayIsInMemory ? MemoryReplayStore() : nil
        let engine = try await makeEngine(plan.configuration, keys, storage, replay, plan.passwords, sinks, log)
        let pipeline = RequestPipeline(
            engine: engine,
            proxies: plan.configuration.trustedProxies,
            readiness: Readiness(storage, isAway: { database.isAway }, clocks, engine),
            log: log,
            metrics: metrics,
            entropy: SystemEntropy()
        )
        let gauges = ServerGauges(
            database: database,
            replay: replay,
            passwords: plan.passwords,
            log: log,
            audit: audit,
            signatures: signatures.batcher,
            startedAt: SystemWallClock().now()
        )
        let (listener, operatorListener) = try listen(plan, pipeline, gauges)
        return RunningServer(
            configuration: plan.configuration,
            places: plan.places,
            keys: keys,
            signatures: signatures,
            address: plan.listen.text(port: listener.port),
            url: plan.listen.url(port: listener.port),
            database: database,
            listener: listener,
            limits: plan.limits,
            operatorListener: operatorListener,
            readiness: pipeline.readiness,
            audit: audit,
            cleaning: clean(storage, clocks, metrics, log.warn),
            rotating: rotate(engine, every: plan.policy.refreshInterval)
        )
    }

    private static func openKeys(
        _ place: SigningKeyProviderSettings,
        _ plan: Plan,
        _ storage: any AuthorizationStorage,
        _ trail: OperatorTrail,
        _ clocks: ClockComparison
    ) async throws -> ServerKeys {
        try await ServerKeys(
            place,
            plan.policy,
            in: plan.places.keyDirectory,
            plan.configuration,
            storage,
            trail,
            mayRotate: { await clocks.agrees() }
        )
    }

    /// Listens for clients and, if that has an address, for monitoring.
    private static func listen(
        _ plan: Plan,
        _ pipeline: RequestPipeline,
        _ gauges: ServerGauges
    ) throws -> (HTTPListener, OperatorListener?) {
        let listener = try HTTPListener(
            on: plan.listen.address,
            limits: plan.limits,
            rejectionFields: pipeline.engine.fieldsOfEveryResponse,
            refused: pipeline.refused,
            handler: pipeline.respond
        )
        let operatorListener = try plan.metricsListen.map { address in
            try OperatorListener(address, pipeline.metrics, gauges, pipeline.readiness, of: listener)
        }
        return (listener, operatorListener)
    }

    /// A mistyped `client_id` would attest no client.
    private static func warnAboutAttesters(
        _ configuration: ServerConfiguration,
        _ storage: any AuthorizationStorage,
        _ log: ServerLog
    ) async throws {
        for attester in configuration.attesters {
            for clientID in attester.clients where try await storage.client(clientID)?.isAttested != true {
                log.warn(
                    "the attester \(attester.name) may speak for \(SafeText.of(clientID)), which is no client that "
                        + "authenticates by attestation: keybound client list shows the clients"
                )
            }
        }
    }

    private static func makeEngine(
        _ configuration: ServerConfiguration,
        _ keys: ServerKeys,
        _ storage: any AuthorizationStorage,
        _ replay: MemoryReplayStore?,
        _ passwords: PasswordHasher,
        _ audit: AuditSinks,
        _ log: ServerLog
    ) async throws -> AuthorizationEngine {
        try await keys.explainingFailures { ring in
            try await AuthorizationEngine(
                configuration: configuration,
                storage: storage,
                keys: ring,
                replay: replay,
                // With used proofs in its own memory, a process must not accept nonces of another process.
                nonceSecrets: replay == nil ? storage : MemoryAuthorizationStorage(),
                passwords: passwords,
                outgoing: OutgoingTransport.make(configuration),
                audit: audit,
                report: log.warn
            )
        }
    }

    /// The limit of connections, if file descriptors are too few for the configured one.
    var reducedConnectionLimit: Int? {
        listener.connectionLimit < limits.connections ? listener.connectionLimit : nil
    }

    /// Reports that it is not ready, waits for the delay, finishes the requests in progress, and closes the database.
    func stop(after delay: Duration, draining: Duration) async {
        readiness.drain()
        try? await Task.sleep(for: delay)
        await listener.stop(draining: draining)
        for task in [cleaning, rotating] { task.cancel() }
        for task in [cleaning, rotating] { await task.value }
        await database.close()
        await operatorListener?.stop()
        await audit?.writer.flush()
    }

    /// Whether used proofs are recorded only in the memory of this process.
    ///
    /// With a database that several servers share they are recorded there, unless a setting says otherwise.
    static func replayIsInMemory(_ settings: ServerSettings, _ places: ServerPaths) throws -> Bool {
        switch settings.text(.replayStore) {
        case nil: return !places.isDatabaseShared
        case "memory": return true
        case "database": return false
        default: throw CommandFailure.usage("\(settings.place(of: .replayStore)) is neither memory nor database")
        }
    }

    /// Rotates keys when they are due, and notices changes by an operator.
    private static func rotate(_ engine: AuthorizationEngine, every interval: Duration) -> Task<Void, Never> {
        Task {
            while true {
                try? await Task.sleep(for: interval)
                if Task.isCancelled { return }
                await engine.rotateSecrets()
            }
        }
    }

    /// Deletes expired records every minute, in small steps.
    private static func clean(
        _ storage: any AuthorizationStorage,
        _ clocks: ClockComparison,
        _ metrics: ServerMetrics,
        _ report: @escaping @Sendable (String) -> Void
    ) -> Task<Void, Never> {
        let collector = ExpiryCollector(clock: SystemWallClock(), delete: clocks.guarding(storage.deleteExpired))
        return Task {
            await collector.run(sleepingOn: ContinuousClock(), counted: metrics.countExpired, report: report)
        }
    }
}
#endif
