// SPDX-License-Identifier: Apache-2.0

/// The reply to `INFO`: lines of a name, a colon and a value.
struct RedisInfo {
    private let lines: [Substring]

    init(_ reply: RedisReply) throws(RedisReplayError) {
        switch reply {
        case .text(let bytes): lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        case .error(let text): throw .answered(text)
        case .status, .null: throw .answered("")
        }
    }

    /// The value of a name.
    func value(_ name: String) throws(RedisReplayError) -> String {
        guard let line = lines.first(where: { $0.hasPrefix(name + ":") }) else { throw .answered("") }
        return String(line.dropFirst(name.count + 1))
    }
}
