// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CHiredis

/// Sends commands over a connection, and reads their replies.
@safe struct RedisExchange {
    private let functions: Hiredis
    private let context: UnsafeMutablePointer<redisContext>

    init(_ functions: Hiredis, _ context: UnsafeMutablePointer<redisContext>) {
        self.functions = functions
        unsafe self.context = context
    }

    static func words(_ words: String...) -> [[UInt8]] {
        words.map { Array($0.utf8) }
    }

    /// Sends all commands in one write, and waits for as many replies.
    ///
    /// - Throws: ``RedisReplayError/Code/unavailable`` if the connection is lost, or not every reply is there in time.
    func ask(
        _ commands: [[[UInt8]]],
        until deadline: ContinuousClock.Instant
    ) throws(RedisReplayError) -> [RedisReply] {
        for command in commands {
            guard unsafe functions.append(command, to: context) else { throw .isAway }
        }
        var replies: [RedisReply] = []
        replies.reserveCapacity(commands.count)
        for _ in commands {
            guard unsafe functions.setTimeout(of: context, until: deadline),
                let reply = unsafe functions.reply(of: context)
            else { throw .isAway }
            replies.append(reply)
        }
        return replies
    }
}
#endif
