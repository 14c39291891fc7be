// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import StrictJSON

/// An answer of a server under load, as far as a client that measures must understand it.
struct LoadAnswer {
    let status: Int
    private let fields: [Substring]
    private let body: ArraySlice<UInt8>

    /// Reads an answer with a `Content-Length`, or with none and no body.
    ///
    /// - Returns: `nil` when more of it must come first.
    init?(parsing bytes: [UInt8]) throws {
        guard let end = Self.endOfHead(bytes) else { return nil }
        // "\r\n" is one Character: as bytes, lines can be told apart.
        let head = Substring(decoding: bytes[..<end], as: UTF8.self)
        fields = head.split(separator: "\r\n")
        guard let line = fields.first?.split(separator: " "), line.count >= 2, let status = Int(line[1]) else {
            throw BenchmarkError("an answer without a status")
        }
        self.status = status
        guard Self.value(of: "transfer-encoding", in: fields) == nil else {
            throw BenchmarkError("an answer in chunks")
        }
        let length = Self.value(of: "content-length", in: fields).flatMap { Int($0) } ?? 0
        guard bytes.count >= end + 4 + length else { return nil }
        body = bytes[(end + 4)..<(end + 4 + length)]
    }

    /// The value of a field, whose name is given in small letters.
    func value(of name: String) -> String? {
        Self.value(of: name, in: fields)
    }

    /// A member of the JSON object that the body is.
    func member(_ name: String) -> String? {
        (try? JSONValue(parsing: Array(body)))?.objectValue?[name]?.stringValue
    }

    /// The code in the address that the answer leads to.
    var code: String? {
        guard let location = value(of: "location"), let query = location.split(separator: "?").last else { return nil }
        return try? FormParameters(decoding: query).value(for: "code")
    }

    /// For the message of a failure; never of an answer with a token.
    var summary: String {
        "\(status) \(status < 400 ? "" : String(decoding: body.prefix(300), as: UTF8.self))"
    }

    private static func value(of name: String, in fields: [Substring]) -> String? {
        for field in fields.dropFirst() {
            guard let colon = field.firstIndex(of: ":"), field[..<colon].lowercased() == name else { continue }
            return String(field[field.index(after: colon)...].drop { $0 == " " })
        }
        return nil
    }

    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (0...(bytes.count - 4)).first { start in
            bytes[start] == 13 && bytes[start + 1] == 10 && bytes[start + 2] == 13 && bytes[start + 3] == 10
        }
    }
}
