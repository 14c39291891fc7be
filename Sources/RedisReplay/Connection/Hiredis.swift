// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CHiredis
import Glibc
import OAuthSystem

/// The functions of hiredis, loaded when Redis is first used.
@safe struct Hiredis: Sendable {
    private let connectPort: redisConnectWithTimeout_Function
    private let connectSocket: redisConnectUnixWithTimeout_Function
    private let setTimeout: redisSetTimeout_Function
    private let appendCommand: redisAppendCommandArgv_Function
    private let getReply: redisGetReply_Function
    private let freeReply: freeReplyObject_Function
    private let freeContext: redisFree_Function

    private static let loaded = Result { () throws(SharedLibraryError) in try Hiredis() }

    /// The functions; throws ``RedisReplayError/Code/misconfigured`` if the system does not have the library.
    static func load() throws(RedisReplayError) -> Hiredis {
        do {
            return try loaded.get()
        } catch {
            throw RedisReplayError(
                .misconfigured,
                "hiredis cannot be loaded: install the Debian package libhiredis0.14"
            )
        }
    }

    private init() throws(SharedLibraryError) {
        let library = try SharedLibrary("libhiredis.so.0.14")
        unsafe connectPort = try unsafe library.function("redisConnectWithTimeout")
        unsafe connectSocket = try unsafe library.function("redisConnectUnixWithTimeout")
        unsafe setTimeout = try unsafe library.function("redisSetTimeout")
        unsafe appendCommand = try unsafe library.function("redisAppendCommandArgv")
        unsafe getReply = try unsafe library.function("redisGetReply")
        unsafe freeReply = try unsafe library.function("freeReplyObject")
        unsafe freeContext = try unsafe library.function("redisFree")
    }

    /// Connects; `nil` if that fails or takes too long.
    func connect(
        _ address: RedisAddress,
        until deadline: ContinuousClock.Instant
    ) -> UnsafeMutablePointer<redisContext>? {
        guard let left = Self.left(until: deadline) else { return nil }
        let context =
            switch address.kind {
            case .socket(let path): unsafe connectSocket(path, left)
            case .port(let host, let port): unsafe connectPort(host, port, left)
            }
        guard let context = unsafe context else { return nil }
        guard unsafe context.pointee.err == 0 else {
            unsafe free(context)
            return nil
        }
        return unsafe context
    }

    /// Limits how long each read and write may take; `false` if no time is left.
    func setTimeout(of context: UnsafeMutablePointer<redisContext>, until deadline: ContinuousClock.Instant) -> Bool {
        guard let left = Self.left(until: deadline) else { return false }
        return unsafe setTimeout(context, left) == REDIS_OK
    }

    /// Adds a command to what is sent with the next read.
    func append(_ words: [[UInt8]], to context: UnsafeMutablePointer<redisContext>) -> Bool {
        // One block for all words: pointers into separate arrays would not be valid together.
        var block: [UInt8] = []
        for word in words { block += word }
        block.append(0)
        return unsafe block.withUnsafeBytes { block in
            guard let base = block.baseAddress else { return false }
            var pointers: [UnsafePointer<CChar>?] = unsafe []
            var offset = 0
            for word in words {
                unsafe pointers.append(unsafe (base + offset).assumingMemoryBound(to: CChar.self))
                offset += word.count
            }
            let lengths = words.map(\.count)
            return unsafe appendCommand(context, Int32(words.count), &pointers, lengths) == REDIS_OK
        }
    }

    /// Sends what was added, and reads one reply; `nil` if the connection is lost or the time is over.
    func reply(of context: UnsafeMutablePointer<redisContext>) -> RedisReply? {
        var pointer: UnsafeMutableRawPointer?
        guard unsafe getReply(context, &pointer) == REDIS_OK, let pointer = unsafe pointer else { return nil }
        defer { unsafe freeReply(pointer) }
        let reply = unsafe pointer.assumingMemoryBound(to: redisReply.self).pointee
        let text = unsafe UnsafeRawBufferPointer(start: reply.str, count: reply.str == nil ? 0 : reply.len)
        switch unsafe reply.type {
        case REDIS_REPLY_STATUS: return .status
        case REDIS_REPLY_STRING: return .text(unsafe Array(text))
        case REDIS_REPLY_NIL: return .null
        case REDIS_REPLY_ERROR: return .error(unsafe String(decoding: text, as: UTF8.self))
        default: return .error("")
        }
    }

    /// Closes a connection.
    func free(_ context: UnsafeMutablePointer<redisContext>) {
        unsafe freeContext(context)
    }

    /// The time that is left; `nil` for none, since zero would mean no limit.
    private static func left(until deadline: ContinuousClock.Instant) -> timeval? {
        let microseconds = Int(ContinuousClock.now.duration(to: deadline) / .microseconds(1))
        guard microseconds > 0 else { return nil }
        return timeval(tv_sec: microseconds / 1_000_000, tv_usec: microseconds % 1_000_000)
    }
}
#endif
