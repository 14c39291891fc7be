// SPDX-License-Identifier: Apache-2.0

/// Reads a stream of events as it arrives (HTML Living Standard, section 9.2.6, Interpreting an event stream).
struct EventStreamParser {
    private static let carriageReturn: UInt8 = 0x0D
    private static let lineFeed: UInt8 = 0x0A
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let shortestPause = Duration.milliseconds(500)
    private static let longestPause = Duration.seconds(3600)

    /// The identifier of the last event, from which the stream can be resumed; `nil` if there is none.
    private(set) var lastEventID: String?
    /// How long to wait before the stream is requested again.
    private(set) var pause = Duration.seconds(1)

    private let maximumSize: Int
    private var line: [UInt8] = []
    private var isAfterCarriageReturn = false
    private var isFirstLine = true
    private var data: [UInt8] = []
    private var hasData = false
    private var type: [UInt8] = []
    private var newID: String?

    /// - Parameter maximumSize: The maximum size of an event, in bytes.
    init(maximumSize: Int) {
        self.maximumSize = maximumSize
    }

    /// Takes a piece of the stream.
    ///
    /// - Parameter bytes: The piece.
    /// - Returns: The data of the messages that it completes. Events without data, and those of another type than `message`,
    ///   are left out.
    /// - Throws: ``MCPFailure``, if an event is too long.
    mutating func take(_ bytes: [UInt8]) throws(MCPFailure) -> [[UInt8]] {
        var messages: [[UInt8]] = []
        for byte in bytes {
            // A line ends with CR, LF, or both.
            let isSecondHalf = isAfterCarriageReturn && byte == Self.lineFeed
            isAfterCarriageReturn = byte == Self.carriageReturn
            if isSecondHalf { continue }
            guard byte == Self.lineFeed || byte == Self.carriageReturn else {
                guard line.count + data.count < maximumSize else {
                    throw MCPFailure(.failed, "the MCP server sent an event of more than \(maximumSize) bytes")
                }
                line.append(byte)
                continue
            }
            if let message = endLine() { messages.append(message) }
        }
        return messages
    }

    /// Forgets the event that the end of a connection cut off.
    mutating func reconnect() {
        (line, isAfterCarriageReturn, isFirstLine) = ([], false, true)
        (data, hasData, type, newID) = ([], false, [], nil)
    }

    private mutating func endLine() -> [UInt8]? {
        var content = line[...]
        line.removeAll(keepingCapacity: true)
        if isFirstLine, content.starts(with: Self.byteOrderMark) { content = content.dropFirst(3) }
        isFirstLine = false
        guard !content.isEmpty else { return endEvent() }
        let name = content.prefix { $0 != UInt8(ascii: ":") }
        var value = content.dropFirst(name.count + 1)
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        take(value, of: String(decoding: name, as: UTF8.self))
        return nil
    }

    private mutating func take(_ value: ArraySlice<UInt8>, of name: String) {
        switch name {
        case "data":
            if hasData { data.append(Self.lineFeed) }
            data += value
            hasData = true
        case "event": type = Array(value)
        // It is sent in a field: anything else than printable ASCII is no identifier.
        case "id" where value.count <= 4096 && value.allSatisfy({ (0x20...0x7E).contains($0) }):
            newID = String(decoding: value, as: UTF8.self)
        case "retry":
            let isNumber = (1...9).contains(value.count) && value.allSatisfy { (0x30...0x39).contains($0) }
            guard isNumber, let milliseconds = Int(String(decoding: value, as: UTF8.self)) else { return }
            // A server that says 0 must not make this command ask without pause.
            pause = min(max(Duration.milliseconds(milliseconds), Self.shortestPause), Self.longestPause)
        default: break
        }
    }

    /// An empty line ends an event.
    private mutating func endEvent() -> [UInt8]? {
        defer { (data, hasData, type, newID) = ([], false, [], nil) }
        // An empty identifier takes back the one before.
        if let newID { lastEventID = newID.isEmpty ? nil : newID }
        let isMessage = type.isEmpty || type == Array("message".utf8)
        return isMessage && !data.isEmpty ? data : nil
    }
}
