// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import DPoP
import HTTPServer
import JOSE
import OAuthStorage

/// An authorization server that answers on a socket, from start to orderly stop.
struct RunningServer: Sendable {
    let configuration: ServerConfiguration
    let places: ServerPlaces
    let keys: ServerKeys
    /// Where it listens, with the port that it got.
    let address: String
    private let storage: SQLiteAuthorizationStorage
    private let listener: HTTPListener
    private let cleaning: Task<Void, Never>
    private let rotating: Task<Void, Never>

    /// Opens key and database, makes them at the first start, and listens.
    static func start(
        _ settings: ServerSettings,
        report: @escaping @Sendable (String) -> Void
    ) async throws -> RunningServer {
        // What can be wrong with the settings is said before anything is made.
        let configuration = try ServerConfiguration(settings)
        let policy = try SigningKeyPolicy(settings)
        let listen = try ListenAddress(settings)
        let replayIsInMemory = try replayIsInMemory(settings)
        let places = try ServerPlaces(settings)
        try places.makeDirectories()
        let protection = try KeyProtectionSettings(settings)
        let storage = try await SQLiteAuthorizationStorage(path: places.database)
        let keys = try await ServerKeys(protection, policy, in: places.keyDirectory, configuration, storage)
        let engine = try await keys.explainingFailures { ring in
            try await AuthorizationEngine(
                configuration: configuration,
                storage: storage,
                keys: ring,
                replay: replayIsInMemory ? MemoryReplayStore() : storage,
                // A process that remembers proofs by itself must not take the nonces of another for its own.
                nonceSecrets: replayIsInMemory ? MemoryAuthorizationStorage() : storage,
                report: report
            )
        }
        let listener = try HTTPListener(address: listen.address, port: listen.port) { await engine.respond(to: $0) }
        return RunningServer(
            configuration: configuration,
            places: places,
            keys: keys,
            address: listen.text(port: listener.port),
            storage: storage,
            listener: listener,
            cleaning: clean(storage, report),
            rotating: rotate(engine, every: policy.refreshInterval)
        )
    }

    /// Answers what is under way, then closes the database.
    func stop(draining: Duration) async {
        await listener.stop(draining: draining)
        for task in [cleaning, rotating] { task.cancel() }
        for task in [cleaning, rotating] { await task.value }
        await storage.close()
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
        _ report: @escaping @Sendable (String) -> Void
    ) -> Task<Void, Never> {
        Task {
            while !Task.isCancelled {
                do {
                    while try await storage.deleteExpired(at: SystemWallClock().now(), limit: 500) == 500 {}
                } catch {
                    report("what has expired was not deleted: \(CommandFailure(describing: error).message)")
                }
                try? await Task.sleep(for: .seconds(60))
            }
        }
    }
}
#endif
