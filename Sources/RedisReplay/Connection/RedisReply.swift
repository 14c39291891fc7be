// SPDX-License-Identifier: Apache-2.0

/// A reply of Redis, as far as this client asks for any.
enum RedisReply: Hashable {
    case status
    case text([UInt8])
    case null
    /// The text begins with a word in capitals.
    case error(String)

    /// Throws the error that Redis answered, if it is one.
    func requireAccepted() throws(RedisReplayError) {
        if case .error(let text) = self { throw .answered(text) }
    }
}
