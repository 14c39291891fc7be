// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CHiredis
import DPoP
import OAuthCrypto
import OAuthSystem

/// A connection, for one thread.
@safe final class RedisConnection {
    private let functions: Hiredis
    // Only the thread of the line uses it, and it is freed with this object.
    private let context: UnsafeMutablePointer<redisContext>
    /// The process of Redis that is connected; another one has another memory.
    private let runID: [UInt8]

    private static let epochName = Array("kb:epoch".utf8)
    private static let epochSize = 16

    private init(_ functions: Hiredis, _ context: UnsafeMutablePointer<redisContext>, runID: [UInt8]) {
        self.functions = functions
        unsafe self.context = context
        self.runID = runID
    }

    deinit { unsafe functions.free(context) }

    /// Connects, signs in, and checks how Redis is set up.
    static func open(
        _ configuration: RedisReplayConfiguration,
        until deadline: ContinuousClock.Instant,
        entropy: any Entropy
    ) throws(RedisReplayError) -> RedisConnection {
        let functions = try Hiredis.load()
        guard let context = unsafe functions.connect(configuration.address, until: deadline) else { throw .isAway }
        do throws(RedisReplayError) {
            let opening = unsafe RedisExchange(functions, context)
            if let password = configuration.password {
                let user = configuration.username.map { [Array($0.utf8)] } ?? []
                let command = [Array("AUTH".utf8)] + user + [password]
                try opening.ask([command], until: deadline)[0].requireAccepted()
            }
            let answers = try opening.ask(
                [
                    RedisExchange.words("INFO", "server"), RedisExchange.words("INFO", "memory"),
                    [Array("SET".utf8), epochName, Array(entropy.bytes(epochSize)), Array("NX".utf8)],
                ],
                until: deadline
            )
            let runID = try RedisInfo(answers[0]).value("run_id")
            try checkPolicy(answers[1])
            try answers[2].requireAccepted()
            return unsafe RedisConnection(functions, context, runID: Array(runID.utf8))
        } catch {
            unsafe functions.free(context)
            throw error
        }
    }

    /// A key that is evicted is a proof that works again.
    private static func checkPolicy(_ reply: RedisReply) throws(RedisReplayError) {
        let policy = try RedisInfo(reply).value("maxmemory_policy")
        guard policy == "noeviction" else {
            throw RedisReplayError(
                .misconfigured,
                "Redis may evict used proofs (maxmemory-policy \(policy)); set maxmemory-policy noeviction"
            )
        }
    }

    /// Asks all questions in one write.
    ///
    /// - Throws: If the connection is lost or Redis is not set up as it must be; it must not be used any more then.
    func ask(
        _ questions: [RedisLine.Question],
        isRepeat: Bool,
        until deadline: ContinuousClock.Instant
    ) throws(RedisReplayError) -> [RedisAnswer] {
        var commands: [[[UInt8]]] = []
        for question in questions {
            switch question {
            case .check:
                // It answers all that only reads when it is full, or a replica: only a write says that it takes proofs.
                commands.append(RedisExchange.words("INFO", "memory"))
                commands.append(RedisExchange.words("SET", "kb:check", "1", "PX", "1000"))
            case .record(let record):
                commands.append([
                    Array("SET".utf8), record.name, record.attempt, Array("NX".utf8), Array("PX".utf8),
                    record.milliseconds,
                ])
                if isRepeat { commands.append([Array("GET".utf8), record.name]) }
            }
            // Last: a memory that was emptied after the proof was recorded must not look like the one before.
            commands.append([Array("GET".utf8), Self.epochName])
        }
        let exchange = unsafe RedisExchange(functions, context)
        var replies = try exchange.ask(commands, until: deadline)[...]
        var answers: [RedisAnswer] = []
        for question in questions { answers.append(try answer(to: question, isRepeat, &replies)) }
        return answers
    }

    private func answer(
        to question: RedisLine.Question,
        _ isRepeat: Bool,
        _ replies: inout ArraySlice<RedisReply>
    ) throws(RedisReplayError) -> RedisAnswer {
        var insertion = ReplayInsertion.inserted
        switch question {
        case .check:
            try Self.checkPolicy(replies.removeFirst())
            try replies.removeFirst().requireAccepted()
        case .record(let record):
            let set = replies.removeFirst()
            let stored = isRepeat ? replies.removeFirst() : .null
            switch set {
            case .status: break
            // A repeat of a call whose answer was lost is not a replay.
            case .null: insertion = stored == .text(record.attempt) ? .inserted : .replayed
            case .error(let text): throw .answered(text)
            case .text: throw .answered("")
            }
        }
        switch replies.removeFirst() {
        case .text(let value):
            let epoch = SHA256.hash(runID + value).bytes.prefix(ReplayEpoch.size)
            return RedisAnswer(insertion: insertion, epoch: Array(epoch))
        // Emptied just now: the next connection names the new memory.
        case .null: throw RedisReplayError(.unavailable, "Redis was emptied a moment ago")
        case .error(let text): throw .answered(text)
        case .status: throw .answered("")
        }
    }
}
#endif
