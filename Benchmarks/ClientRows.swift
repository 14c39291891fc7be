// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import HTTPServer
import OAuthClient

/// The cost of the client compared with URLSession alone, to the same listener in the same run.
enum ClientRows {
    static let measurements = [
        Measurement("client", "client-data-overhead") { try await overhead() },
        Measurement("client", "client-refresh-1000") { try await refresh() },
    ]

    private static let referenceName = "URLSession.data(for:), same listener"

    /// One call after the other, in wall-clock time and in processor time of all threads, including the listener's.
    @MainActor
    private static func overhead() async throws -> [Row] {
        let scenario = try await ClientScenario(isExpired: false)
        let bare = URLSession(configuration: .ephemeral)
        let (session, request) = (scenario.session, scenario.request)
        let rounds = try await Rounds.compareCalls(
            perTurn: 20,
            ours: { _ = try await session.data(for: request) },
            reference: { _ = try await bare.data(for: request) }
        )
        bare.invalidateAndCancel()
        await scenario.listener.stop(draining: .zero)
        return [
            .times("client-data-overhead", rounds.wall, beside: referenceName, target: nil),
            .times("client-data-overhead-cpu", rounds.processor, beside: referenceName, target: nil),
        ]
    }

    /// A thousand concurrent calls with an expired token.
    @MainActor
    private static func refresh() async throws -> [Row] {
        let calls = 1000
        let bare = URLSession(configuration: .ephemeral)
        var rounds = Rounds()
        var mostRefreshes = 0
        for round in 0...Rounds.count {
            let scenario = try await ClientScenario(isExpired: true)
            let (session, request) = (scenario.session, scenario.request)
            let reference = try await seconds(of: calls) { _ = try await bare.data(for: request) }
            let ours = try await seconds(of: calls) { _ = try await session.data(for: request) }
            mostRefreshes = max(mostRefreshes, scenario.refreshCount)
            await scenario.listener.stop(draining: .zero)
            guard round > 0 else { continue }
            rounds.reference.append(reference / Double(calls))
            rounds.ours.append(ours / Double(calls))
        }
        bare.invalidateAndCancel()
        return [
            .count(
                "client-refresh-1000",
                Double(mostRefreshes),
                unit: "refreshes",
                beside: 1,
                "one",
                target: .atMost(1)
            ),
            .times("client-refresh-1000-call", rounds, beside: referenceName + ", no refresh", target: nil),
        ]
    }

    private static func seconds(
        of count: Int,
        _ call: @escaping @Sendable () async throws -> Void
    ) async throws -> Double {
        let start = ThreadTime.wall()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { try await call() } }
            try await group.waitForAll()
        }
        return ThreadTime.wall() - start
    }
}
