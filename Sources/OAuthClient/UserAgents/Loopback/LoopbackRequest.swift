// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// A request of a browser to the loopback address.
struct LoopbackRequest: Equatable {
    let method: String
    /// The target in origin-form, undecoded.
    let target: String
    /// The only `Host` field.
    let host: String
    /// The only `Content-Type` field of a POST.
    var contentType: String?
    /// The body of a POST.
    var body: [UInt8] = []

    /// The state of reading a request.
    enum Progress: Equatable {
        case incomplete
        case malformed
        case tooLarge
        case complete(LoopbackRequest)
    }

    /// The maximum size of a head, in bytes.
    static let maximumSize = 16_384

    /// Parses the bytes of a connection.
    ///
    /// They are split as bytes: in a Swift string, "\r\n" is one character.
    static func read(_ bytes: [UInt8]) -> Progress {
        let emptyLine = "\r\n\r\n".utf8
        guard let end = bytes.indices.first(where: { bytes[$0...].starts(with: emptyLine) }), end <= maximumSize else {
            return bytes.count > maximumSize ? .malformed : .incomplete
        }
        let head = bytes[..<end]
        let lines = head.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        }
        let words = (lines.first ?? []).split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        let hosts = values(of: "host", lines)
        guard words.count == 3, words[2].starts(with: "HTTP/1.".utf8), words[1].first == UInt8(ascii: "/"),
            hosts.count == 1, words[1].allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return .malformed }
        let text = words.prefix(2).map { String(decoding: $0, as: UTF8.self) }
        let request = LoopbackRequest(method: text[0], target: text[1], host: hosts[0])
        return request.method == "POST" ? request.reading(bytes[(end + emptyLine.count)...], lines) : .complete(request)
    }

    /// Parses the body.
    ///
    /// `Content-Length` must occur once and have only digits: the form of a page sends nothing else.
    private func reading(_ rest: ArraySlice<UInt8>, _ lines: [ArraySlice<UInt8>]) -> Progress {
        let lengths = Self.values(of: "content-length", lines)
        let types = Self.values(of: "content-type", lines)
        guard lengths.count == 1, types.count <= 1, Self.values(of: "transfer-encoding", lines).isEmpty,
            lengths[0].utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), !lengths[0].isEmpty
        else { return .malformed }
        guard let length = Int(lengths[0]), length <= AuthorizationCallback.maximumFormSize else { return .tooLarge }
        guard rest.count >= length else { return .incomplete }
        var request = self
        request.contentType = types.first
        request.body = Array(rest.prefix(length))
        return .complete(request)
    }

    /// Whether the content type is that of a form.
    var hasForm: Bool {
        contentType.map { HTTPFields.isMediaType($0, FormParameters.mediaType) } ?? false
    }

    /// The path of the target, undecoded.
    var path: Substring { target.prefix { $0 != "?" } }

    /// The query of the target, decoded; `nil` when there is none or it is malformed.
    var query: FormParameters? {
        guard let mark = target.firstIndex(of: "?") else { return nil }
        return try? FormParameters(decoding: target[target.index(after: mark)...])
    }

    /// The values of a field, by its name in lower case.
    private static func values(of name: String, _ lines: [ArraySlice<UInt8>]) -> [String] {
        lines.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
                line[..<colon].map({ 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }) == Array(name.utf8)
            else { return nil }
            let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            let value = line[line.index(after: colon)...].drop(while: isSpace)
            let end = value.lastIndex { !isSpace($0) }.map { value.index(after: $0) } ?? value.startIndex
            return String(decoding: value[..<end], as: UTF8.self)
        }
    }
}
