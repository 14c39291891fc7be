// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON

/// 64 clients with one key, half of them at each of two processes on one database, race for the same thing.
struct RaceRun {
    private static let size = 64

    private let workers: [LoadWorker]
    private let device: (client: String, code: String)

    init(reading path: String) throws {
        let plan = try LoadPlan(reading: path)
        guard let other = plan.otherPort, let device = plan.device else {
            throw BenchmarkError("the plan has no otherPort or no deviceCode")
        }
        self.device = device
        let key = try SoftwareSigningKey(generating: .es256)
        workers = try (0..<Self.size).map { number in
            try LoadWorker(plan, key: key, port: number.isMultiple(of: 2) ? plan.port : other)
        }
    }

    func run() async throws {
        // Each learns the nonce first, so that the race is one request each. It connects only now, since the server closes a
        // connection without a request after ten seconds, which the others may take.
        for worker in workers {
            guard await worker.reconnect() else { throw BenchmarkError("nobody listens before the race") }
            try await worker.prepare(.clientCredentials)
        }
        var failures: [String] = []
        for race in [code, refreshToken, requestURI, deviceCode, tokenProof, pushedProof] {
            failures += try await race()
        }
        let verdict: JSONObject = ["failures": .strings(failures)]
        print(String(decoding: JSONValue.object(verdict).encoded(), as: UTF8.self))
    }

    /// One exchange wins; the others revoke its tokens.
    private func code() async throws -> [String] {
        let code = try await workers[0].authorize()
        let answers = try await race { try await $0.exchange(code) }
        let winners = answers.filter { $0.status == 200 }
        var failures = unless(winners.count == 1, "of \(Self.size) exchanges of a code \(winners.count) won")
        failures += unless(
            answers.allSatisfy { [200, 400].contains($0.status) },
            "an exchange was neither won nor refused"
        )
        for winner in winners {
            guard let token = winner.member("refresh_token") else { continue }
            let status = try await workers[1].exchange(refreshToken: token).status
            failures += unless(status == 400, "the token of a code that was used twice is alive: \(status)")
        }
        return failures
    }

    /// All have the same key and are within the grace period: the first one wins, two more get a token again, and the
    /// next one is reuse, which revokes what these got.
    private func refreshToken() async throws -> [String] {
        let first = try await workers[0].exchange(workers[0].authorize())
        guard let token = first.member("refresh_token") else { return ["no refresh token to begin with"] }
        let answers = try await race { try await $0.exchange(refreshToken: token) }
        let issued = answers.compactMap { $0.member("refresh_token") }
        var alive = 0
        for next in issued {
            if try await workers[1].exchange(refreshToken: next).status == 200 { alive += 1 }
        }
        return unless(issued.count == 3, "of \(Self.size) refreshes at once \(issued.count) got a token")
            + unless(answers.allSatisfy { [200, 400].contains($0.status) }, "a refresh was neither won nor refused")
            + unless(alive == 0, "\(alive) tokens of a family outlived its reuse")
    }

    private func requestURI() async throws -> [String] {
        let uri = try await workers[0].push()
        let codes = try await race { try await $0.open(uri) }.filter { $0 }.count
        return unless(codes == 1, "one pushed request gave \(codes) codes")
    }

    private func deviceCode() async throws -> [String] {
        let device = device
        let answers = try await race { try await $0.exchange(deviceCode: device.code, of: device.client).status }
        let winners = answers.filter { $0 == 200 }.count
        return unless(winners == 1, "of \(Self.size) exchanges of a device code \(winners) won")
            + unless(answers.allSatisfy { [200, 400].contains($0) }, "a device was neither answered nor refused")
    }

    private func tokenProof() async throws -> [String] {
        let proof = try await workers[0].proof(isPushed: false)
        let taken = try await race { try await $0.useForToken(proof) }.filter { $0 == 200 }.count
        return unless(taken == 1, "attack 91: one proof was taken \(taken) times at the token endpoint")
    }

    private func pushedProof() async throws -> [String] {
        let proof = try await workers[0].proof(isPushed: true)
        let taken = try await race { try await $0.useForPush(proof) }.filter { $0 == 201 }.count
        return unless(taken == 1, "attack 91: one proof was taken \(taken) times with pushed requests")
    }

    private func unless(_ condition: Bool, _ failure: String) -> [String] {
        condition ? [] : [failure]
    }

    private func race<Outcome: Sendable>(
        _ attempt: @escaping @Sendable (LoadWorker) async throws -> Outcome
    ) async throws -> [Outcome] {
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            for worker in workers { group.addTask { try await attempt(worker) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
