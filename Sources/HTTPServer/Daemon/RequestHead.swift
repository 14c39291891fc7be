// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// The start of a request as the parser delivers it, and the checks that the parser does not make (RFC 9112).
///
/// Request smuggling works if two parsers disagree about where a request ends or which host it is for. So anything
/// ambiguous is rejected.
struct RequestHead {
    let method: String
    let target: String
    let version: String
    /// The fields, with any white space after the value.
    let fields: HTTPFields
    /// Whether the request line and the field lines account for every byte.
    let isContiguous: Bool

    /// The rejection of the request; `nil` if there is no objection.
    func refusal(limits: HTTPListenerLimits) -> Rejection? {
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
            return Rejection(505, "this server speaks HTTP/1.1")
        }
        guard size <= limits.headerSize else { return Rejection(431, "the header fields are too large") }
        return lineRejection ?? fieldRejection(limits: limits) ?? hostRejection ?? framingRejection(limits: limits)
    }

    /// The declared size of the body; `nil` if there is no valid declaration.
    var contentLength: Int? {
        fields["Content-Length"].flatMap { Self.isNumber($0) ? Int($0) : nil }
    }

    /// The fields as the handler gets them (RFC 9110 section 5.5).
    func handedFields(limits: HTTPListenerLimits) -> HTTPFields {
        guard limits.replacesUnreadableValues, fields.all.contains(where: { !FieldSyntax.isValue($0.value) }) else {
            return trimmedFields
        }
        return HTTPFields(
            trimmedFields.all.map { field in
                FieldSyntax.isValue(field.value)
                    ? field : HTTPFields.Field(name: field.name, value: HTTPFields.unreadable)
            }
        )
    }

    private var trimmedFields: HTTPFields {
        guard fields.all.contains(where: { Self.endsInSpace($0.value) }) else { return fields }
        return HTTPFields(
            fields.all.map { field in
                var value = Substring(field.value)
                while Self.endsInSpace(value) { value.unicodeScalars.removeLast() }
                return HTTPFields.Field(name: field.name, value: String(value))
            }
        )
    }

    private static func endsInSpace(_ text: some StringProtocol) -> Bool {
        let last = text.unicodeScalars.last
        return last == " " || last == "\t"
    }

    private var size: Int {
        fields.all.reduce(method.utf8.count + target.utf8.count + version.utf8.count + 4) {
            $0 + $1.name.utf8.count + $1.value.utf8.count + 4
        }
    }

    // RFC 9112 section 3.
    private var lineRejection: Rejection? {
        guard isContiguous else {
            return Rejection(400, "header lines must end in CR LF, without folding and without NUL")
        }
        guard FieldSyntax.isName(method) else {
            return Rejection(400, "the method is not a token")
        }
        // Only origin-form, which cannot contain the fragment sign.
        guard target.utf8.first == UInt8(ascii: "/"),
            FieldSyntax.isTarget(target)
        else {
            return Rejection(400, "the request target must be a path and a query in ASCII")
        }
        return nil
    }

    // RFC 9110 section 5.
    private func fieldRejection(limits: HTTPListenerLimits) -> Rejection? {
        for field in fields.all {
            guard FieldSyntax.isName(field.name) else { return Rejection(400, "a field name is not a token") }
            let isReplaced = limits.replacesUnreadableValues && !FieldSyntax.mayEndLine(field.value)
            guard isReplaced || FieldSyntax.isValue(field.value) else {
                return Rejection(400, "a field value holds control characters or is not UTF-8")
            }
        }
        return nil
    }

    // RFC 9112 section 3.2.
    private var hostRejection: Rejection? {
        let hosts = fields.values(for: "Host")
        guard hosts.count == 1, let host = hosts.first, !host.isEmpty, host.utf8.allSatisfy(FieldSyntax.isHostCharacter)
        else {
            return Rejection(400, "the request must have exactly one Host field, a host and maybe a port")
        }
        return nil
    }

    // RFC 9112 section 6.
    private func framingRejection(limits: HTTPListenerLimits) -> Rejection? {
        let lengths = fields.values(for: "Content-Length")
        let encodings = fields.values(for: "Transfer-Encoding")
        guard lengths.count <= 1, lengths.allSatisfy(Self.isNumber) else {
            return Rejection(400, "the request may have one Content-Length field, a decimal number")
        }
        if !encodings.isEmpty {
            guard lengths.isEmpty, version == "HTTP/1.1", encodings.count == 1,
                ASCII.isSameIgnoringCase(encodings[0], "chunked")
            else {
                return Rejection(400, "the only transfer coding is chunked, once and without Content-Length")
            }
            guard limits.acceptsChunkedBodies else { return .lengthRequired }
        }
        guard lengths.isEmpty || (contentLength ?? .max) <= limits.bodySize else { return .bodyTooLarge }
        return nil
    }

    private static func isNumber(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(ASCII.isDigit)
    }
}
