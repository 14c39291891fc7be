// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// The head of a request that a browser sent to the loopback address.
struct LoopbackRequest: Equatable {
    let method: String
    /// The target in origin-form, undecoded.
    let target: String
    /// The only `Host` field.
    let host: String

    /// What has been read so far.
    enum Progress: Equatable {
        case incomplete
        case malformed
        case complete(LoopbackRequest)
    }

    /// The longest head that is read, in bytes.
    static let maximumSize = 16_384

    /// Reads the bytes of a connection.
    ///
    /// They are split as bytes: to Swift, "\r\n" is one character.
    static func read(_ bytes: [UInt8]) -> Progress {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)), end.lowerBound <= maximumSize else {
            return bytes.count > maximumSize ? .malformed : .incomplete
        }
        let head = bytes[..<end.lowerBound]
        let lines = head.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        }
        let words = (lines.first ?? []).split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        let hosts = lines.dropFirst().compactMap(hostValue)
        guard words.count == 3, words[2].starts(with: "HTTP/1.".utf8), words[1].first == UInt8(ascii: "/"),
            hosts.count == 1, words[1].allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return .malformed }
        let text = (words.prefix(2) + hosts).map { String(decoding: $0, as: UTF8.self) }
        return .complete(LoopbackRequest(method: text[0], target: text[1], host: text[2]))
    }

    /// The path of the target, undecoded.
    var path: Substring { target.prefix { $0 != "?" } }

    /// The query of the target, decoded; `nil` when there is none or it is malformed.
    var query: FormParameters? {
        guard let mark = target.firstIndex(of: "?") else { return nil }
        return try? FormParameters(decoding: target[target.index(after: mark)...])
    }

    private static func hostValue(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            line[..<colon].map({ $0 | 0x20 }) == Array("host".utf8)
        else { return nil }
        let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        let value = line[line.index(after: colon)...].drop(while: isSpace)
        return value.lastIndex { !isSpace($0) }.map { value[...$0] } ?? []
    }
}
