// SPDX-License-Identifier: Apache-2.0

/// Reads the challenges of one field value in order (RFC 9110 sections 11.2, 11.3 and 11.6.1).
///
/// A comma separates both parameters and challenges. If a token and `=` follow it, they are a parameter of the current
/// challenge; otherwise the next challenge begins.
struct ChallengeParser {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The next challenge; `nil` at the end.
    mutating func next() throws(HTTPMessageError) -> Challenge? {
        skipSeparators()
        guard position < bytes.count else { return nil }
        guard let scheme = token() else { throw .malformedChallenge("a challenge must begin with a scheme") }
        let afterScheme = position
        skipSpace()
        if position > afterScheme, let token68 = token68() {
            try expectEndOfElement()
            return Challenge(scheme: scheme, token68: token68, parameters: [])
        }
        position = afterScheme
        skipSeparators()
        guard position > afterScheme || position == bytes.count else {
            throw .malformedChallenge("a scheme must be followed by a space or a comma")
        }
        let separators = bytes[afterScheme..<position]
        let parameters = try parameters()
        guard !parameters.isEmpty || position == bytes.count || separators.contains(UInt8(ascii: ",")) else {
            throw .malformedChallenge("a scheme must be followed by parameters or a comma")
        }
        return Challenge(scheme: scheme, token68: nil, parameters: parameters)
    }

    private mutating func parameters() throws(HTTPMessageError) -> [Challenge.Parameter] {
        var parameters: [Challenge.Parameter] = []
        while let parameter = try parameter() {
            guard parameters.count < Challenge.maximumParameterCount else {
                throw .malformedChallenge("a challenge has more than \(Challenge.maximumParameterCount) parameters")
            }
            guard !parameters.contains(where: { ASCII.isSameIgnoringCase($0.name, parameter.name) }) else {
                throw .malformedChallenge("a parameter occurs twice in one challenge")
            }
            parameters.append(parameter)
            try expectEndOfElement()
            skipSeparators()
        }
        return parameters
    }

    /// A token68 that fills its list element.
    ///
    /// Without one, the position does not move.
    private mutating func token68() -> String? {
        let start = position
        var end = position
        while end < bytes.count, ASCII.isToken68Character(bytes[end]) { end += 1 }
        guard end > start else { return nil }
        while end < bytes.count, bytes[end] == UInt8(ascii: "=") { end += 1 }
        position = end
        skipSpace()
        guard position == bytes.count || isAt(",") else {
            position = start
            return nil
        }
        position = end
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    /// The next parameter.
    ///
    /// If no token and `=` follow, returns `nil` and does not move the position.
    private mutating func parameter() throws(HTTPMessageError) -> Challenge.Parameter? {
        let start = position
        guard let name = token() else { return nil }
        skipSpace()
        guard isAt("=") else {
            position = start
            return nil
        }
        position += 1
        skipSpace()
        if isAt("\"") { return Challenge.Parameter(name: name, value: try quotedString()) }
        guard let value = token() else {
            throw .malformedChallenge("the value of a parameter must be a token or a quoted string")
        }
        return Challenge.Parameter(name: name, value: value)
    }

    private mutating func quotedString() throws(HTTPMessageError) -> String {
        var value: [UInt8] = []
        position += 1
        while position < bytes.count {
            var byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return String(decoding: value, as: UTF8.self) }
            if byte == UInt8(ascii: "\\"), position < bytes.count {
                byte = bytes[position]
                position += 1
            }
            guard !ASCII.isControl(byte) || byte == UInt8(ascii: "\t") else {
                throw .malformedChallenge("a quoted string may not hold control characters")
            }
            value.append(byte)
        }
        throw .malformedChallenge("a quoted string does not end")
    }

    private mutating func token() -> String? {
        let start = position
        while position < bytes.count, ASCII.isTokenCharacter(bytes[position]) { position += 1 }
        return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
    }

    private mutating func expectEndOfElement() throws(HTTPMessageError) {
        skipSpace()
        guard position == bytes.count || isAt(",") else {
            throw .malformedChallenge("a comma is missing after a parameter")
        }
    }

    private mutating func skipSpace() {
        while isAtSpace { position += 1 }
    }

    private mutating func skipSeparators() {
        while isAtSpace || isAt(",") { position += 1 }
    }

    private var isAtSpace: Bool {
        isAt(" ") || isAt("\t")
    }

    private func isAt(_ character: Unicode.Scalar) -> Bool {
        position < bytes.count && bytes[position] == UInt8(ascii: character)
    }
}

extension HTTPMessageError {
    static func malformedChallenge(_ reason: String) -> Self {
        Self(.malformedChallenge, reason)
    }
}
