// SPDX-License-Identifier: Apache-2.0

/// Decodes `application/x-www-form-urlencoded`.
struct FormDecoder {
    private let maximumCount: Int
    private var parameters: [FormParameters.Parameter] = []
    private var name: String?
    private var text: [UInt8] = []
    /// How many hexadecimal digits must still follow a `%`.
    private var missingDigits = 0
    private var encoded: UInt8 = 0
    /// Whether the current piece has a byte.
    private var isInPiece = false

    init(maximumCount: Int) {
        self.maximumCount = maximumCount
    }

    mutating func read(_ bytes: Span<UInt8>) throws(HTTPMessageError) {
        var index = 0
        while index < bytes.count {
            let end = missingDigits > 0 ? index : Self.endOfPlainText(in: bytes, from: index)
            if index < end {
                isInPiece = true
                unsafe bytes.extracting(index..<end).withUnsafeBufferPointer { unsafe text.append(contentsOf: $0) }
                index = end
            } else {
                try read(bytes[index])
                index += 1
            }
        }
    }

    /// Where the run of literal bytes ends, those that need no decoding.
    private static func endOfPlainText(in bytes: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "&"), UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "%"): return index
            case let byte where ASCII.isControl(byte): return index
            default: index += 1
            }
        }
        return index
    }

    private mutating func read(_ byte: UInt8) throws(HTTPMessageError) {
        if missingDigits > 0 {
            guard let digit = ASCII.hexValue(byte) else { throw Self.badEncoding }
            encoded = encoded << 4 | digit
            missingDigits -= 1
            if missingDigits == 0 { text.append(encoded) }
            return
        }
        if byte == UInt8(ascii: "&") {
            try endPiece()
            return
        }
        isInPiece = true
        switch byte {
        case UInt8(ascii: "=") where name == nil: name = try takeText()
        case UInt8(ascii: "+"): text.append(UInt8(ascii: " "))
        case UInt8(ascii: "%"): missingDigits = 2
        default:
            guard !ASCII.isControl(byte) else {
                throw HTTPMessageError(.malformedForm, "a control character in a form must be percent-encoded")
            }
            text.append(byte)
        }
    }

    mutating func finish() throws(HTTPMessageError) -> [FormParameters.Parameter] {
        guard missingDigits == 0 else { throw Self.badEncoding }
        try endPiece()
        return parameters
    }

    private mutating func endPiece() throws(HTTPMessageError) {
        guard isInPiece else { return }
        guard parameters.count < maximumCount else {
            throw HTTPMessageError(.malformedForm, "a form may have at most \(maximumCount) parameters")
        }
        let last = try takeText()
        parameters.append(FormParameters.Parameter(name: name ?? last, value: name == nil ? "" : last))
        name = nil
        isInPiece = false
    }

    private mutating func takeText() throws(HTTPMessageError) -> String {
        defer { text.removeAll(keepingCapacity: true) }
        // ASCII needs no validation, which costs much more than the text.
        if text.allSatisfy({ $0 < 0x80 }) { return String(decoding: text, as: UTF8.self) }
        guard let decoded = String(validating: text, as: UTF8.self) else {
            throw HTTPMessageError(.malformedForm, "a form must be UTF-8 once it is decoded")
        }
        return decoded
    }

    private static var badEncoding: HTTPMessageError {
        HTTPMessageError(.malformedForm, "in a form, a % must be followed by two hexadecimal digits")
    }
}
