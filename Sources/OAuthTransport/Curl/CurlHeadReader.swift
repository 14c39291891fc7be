// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import OAuthCore

/// Parses the head of a response, line by line as libcurl delivers it.
struct CurlHeadReader {
    /// The head of the final response.
    struct Head: Sendable {
        let status: Int
        let fields: HTTPFields
    }

    /// The maximum size of a head, in bytes.
    private static let maximumSize = 65_536

    /// The head, once its last line has arrived.
    private(set) var head: Head?
    private var status: Int?
    private var fields: [HTTPFields.Field] = []
    private var size = 0
    private let allowsProtocolChange: Bool

    /// Makes a reader.
    ///
    /// - Parameter allowsProtocolChange: Whether 101 is the final response, as libcurl takes it.
    init(allowsProtocolChange: Bool) {
        self.allowsProtocolChange = allowsProtocolChange
    }

    /// Takes a line with its line end.
    ///
    /// Lines after the head, such as trailers, are ignored.
    mutating func take(_ line: [UInt8]) throws(OAuthCoreError) {
        guard head == nil else { return }
        size += line.count
        guard size <= Self.maximumSize else {
            throw OAuthCoreError(
                .transportFailed,
                "the head of the response is larger than \(Self.maximumSize) bytes",
                underlying: UnreadableResponse()
            )
        }
        let text = String(decoding: line, as: UTF8.self).trimming { $0 == "\r\n" || $0 == "\n" || $0 == "\r" }
        if status == nil {
            status = try Self.status(text)
        } else if text.isEmpty {
            end()
        } else if text.first == " " || text.first == "\t" {
            // A folded line (RFC 9112 section 5.2): the fold becomes a space.
            if let last = fields.popLast() {
                let value = last.value + " " + text.trimming { $0 == " " || $0 == "\t" }
                fields.append(HTTPFields.Field(name: last.name, value: value))
            }
        } else if let colon = text.firstIndex(of: ":") {
            let value = text[text.index(after: colon)...].trimming { $0 == " " || $0 == "\t" }
            fields.append(HTTPFields.Field(name: String(text[..<colon]), value: value))
        }
    }

    /// Responses of status 1xx come before the final one (RFC 9110 section 15.2); after 101, no other one comes.
    private mutating func end() {
        if let status, status >= 200 || status == 101 && allowsProtocolChange {
            head = Head(status: status, fields: HTTPFields(fields))
        } else {
            status = nil
            fields = []
        }
    }

    /// The status of `HTTP/1.1 200 OK` and of `HTTP/2 200`.
    private static func status(_ line: String) throws(OAuthCoreError) -> Int {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 2, words[0].hasPrefix("HTTP/"), let status = Int(words[1]), (100...999).contains(status)
        else {
            throw OAuthCoreError(.transportFailed, "the answer is not one of HTTP", underlying: UnreadableResponse())
        }
        return status
    }
}

extension StringProtocol {
    /// Removes these characters at both ends.
    fileprivate func trimming(_ isLeftOut: (Character) -> Bool) -> String {
        var rest = self[...]
        while let first = rest.first, isLeftOut(first) { rest.removeFirst() }
        while let last = rest.last, isLeftOut(last) { rest.removeLast() }
        return String(rest)
    }
}
#endif
