// SPDX-License-Identifier: Apache-2.0

extension LoadWorker {
    /// How many refreshes follow a code.
    private static let refreshes = 4
    /// How many of its families a worker keeps for the check: the most recent ones before the kill.
    private static let kept = 8

    /// Signs in and refreshes repeatedly until the server is gone.
    func runUntilKilled() async throws -> CrashRecord {
        var record = CrashRecord()
        do {
            while true { try await signIn(&record) }
        } catch is ConnectionLost {
            return record
        }
    }

    private func signIn(_ record: inout CrashRecord) async throws {
        let code = try authorize()
        record.uncertain = code
        let first = try await exchange(code)
        record.uncertain = nil
        record.families.append(.init(code: code, tokens: [try refreshToken(in: first)]))
        if record.families.count > Self.kept { record.families.removeFirst() }
        for _ in 0..<Self.refreshes {
            let last = record.families.count - 1
            guard let newest = record.families[last].tokens.last else { return }
            let answer = try await exchange(refreshToken: newest)
            record.families[last].tokens.append(try refreshToken(in: answer))
        }
    }

    private func refreshToken(in answer: LoadResponse) throws -> String {
        guard answer.status == 200, let token = answer.member("refresh_token") else {
            throw BenchmarkError("before the kill: \(answer.summary)")
        }
        return token
    }

    /// Checks the restarted server against the record.
    func check(_ record: CrashRecord) async throws -> CrashResult {
        guard reconnect() else { throw BenchmarkError("nobody listens after the kill") }
        var verdict = CrashResult()
        for family in record.families { try await check(family, &verdict) }
        if let code = record.uncertain {
            verdict.countUncertain()
            _ = try await exchange(code)
            let again = try await exchange(code)
            verdict.require(again.status == 400, "a code was accepted after the kill, and again: \(again.status)")
        }
        return verdict
    }

    /// In an order in which no token is revoked before it is checked.
    private func check(_ family: CrashRecord.Family, _ verdict: inout CrashResult) async throws {
        verdict.countFamily()
        guard let newest = family.tokens.last else { return }
        // Its exchange was answered, so the token must be known. Or its own exchange was in progress, and then the same
        // key may repeat it for a while.
        let answer = try await exchange(refreshToken: newest)
        verdict.require(answer.status == 200, "the newest token is not accepted: \(answer.summary)")
        if let old = family.tokens.dropLast().last {
            let reused = try await exchange(refreshToken: old)
            verdict.require(reused.status == 400, "a token was accepted whose successor was used: \(reused.status)")
            if let next = answer.member("refresh_token") {
                let revoked = try await exchange(refreshToken: next)
                verdict.require(revoked.status == 400, "a family outlived the reuse of a token: \(revoked.status)")
            }
        }
        let replayed = try await exchange(family.code)
        verdict.require(replayed.status == 400, "a code was accepted a second time: \(replayed.status)")
    }
}
