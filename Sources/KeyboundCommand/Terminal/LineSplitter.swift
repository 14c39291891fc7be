// SPDX-License-Identifier: Apache-2.0

/// A line of the input, without its line break.
enum InputLine: Sendable, Hashable {
    case whole([UInt8])
    /// It has more bytes than are allowed, which were dropped.
    case tooLong
}

/// Splits what arrives into lines, none of which may grow without limit.
struct LineSplitter {
    private static let lineBreak: UInt8 = 0x0A

    private let maximumSize: Int
    private var line: [UInt8] = []
    private var isTooLong = false

    /// - Parameter maximumSize: The maximum size of a line, in bytes.
    init(maximumSize: Int) {
        self.maximumSize = maximumSize
    }

    /// Takes what arrived.
    ///
    /// - Parameter bytes: A piece of the input.
    /// - Returns: The lines that it completes.
    mutating func take(_ bytes: ArraySlice<UInt8>) -> [InputLine] {
        var lines: [InputLine] = []
        var rest = bytes
        while let end = rest.firstIndex(of: Self.lineBreak) {
            add(rest[..<end])
            lines.append(finishLine())
            rest = rest[(end + 1)...]
        }
        add(rest)
        return lines
    }

    /// The last line, if it has no line break.
    mutating func end() -> InputLine? {
        isTooLong || !line.isEmpty ? finishLine() : nil
    }

    private mutating func add(_ piece: ArraySlice<UInt8>) {
        guard !isTooLong else { return }
        guard piece.count <= maximumSize - line.count else {
            (line, isTooLong) = ([], true)
            return
        }
        line += piece
    }

    private mutating func finishLine() -> InputLine {
        defer { (line, isTooLong) = ([], false) }
        return isTooLong ? .tooLong : .whole(line)
    }
}
