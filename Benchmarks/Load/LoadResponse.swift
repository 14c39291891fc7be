// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import StrictJSON

/// A response of a server under load, parsed only as far as the measurement needs.
struct LoadResponse {
    let status: Int
    private let fields: [Substring]
    private let body: ArraySlice<UInt8>

    /// Reads a response with a `Content-Length`, or with neither that nor a body.
    ///
    /// - Returns: `nil` if it is incomplete.
    init?(parsing bytes: [UInt8]) throws {
        guard let end = Self.endOfHead(bytes) else { return nil }
        // "\r\n" is one Character: only as bytes can lines be split.
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

    /// The value of a field; the name must be in lower case.
    func value(of name: String) -> String? {
        Self.value(of: name, in: fields)
    }

    /// A member of the JSON object in the body.
    func member(_ name: String) -> String? {
        (try? JSONValue(parsing: Array(body)))?.objectValue?[name]?.stringValue
    }

    /// The code in the URL of the redirect.
    var code: String? { redirected("code") }

    /// The error in the URL of the redirect (RFC 6749 section 4.1.2.1).
    var redirectedError: String? { redirected("error") }

    private func redirected(_ name: String) -> String? {
        guard let location = value(of: "location"), let query = location.split(separator: "?").last else { return nil }
        return try? FormParameters(decoding: query).value(for: name)
    }

    /// For an error message; never used for a response with a token.
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
