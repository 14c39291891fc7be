// SPDX-License-Identifier: Apache-2.0

/// One challenge of a `WWW-Authenticate` field (RFC 9110 section 11.6.1).
public struct Challenge: Sendable, Hashable {
    /// One parameter of a challenge.
    public struct Parameter: Sendable, Hashable {
        /// The name; compare it without ASCII case.
        public let name: String
        /// The value without its quotes and escapes.
        public let value: String

        /// Makes a parameter.
        ///
        /// - Parameters:
        ///   - name: The name, a token.
        ///   - value: The value, unquoted.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The longest text that ``parse(_:)`` reads, all fields together, in bytes.
    public static let maximumLength = 65_536
    /// How many challenges ``parse(_:)`` reads.
    public static let maximumCount = 64
    /// How many parameters ``parse(_:)`` reads in one challenge.
    ///
    /// Each is compared with those before it.
    public static let maximumParameterCount = 64

    /// The scheme as written; compare it without ASCII case.
    public let scheme: String
    /// The token68 that some schemes (`Negotiate`) use instead of parameters.
    public let token68: String?
    /// The parameters in order.
    ///
    /// In a parsed challenge, each name occurs once.
    public let parameters: [Parameter]

    /// Makes a challenge.
    ///
    /// - Parameters:
    ///   - scheme: The scheme, a token: `DPoP`.
    ///   - parameters: The parameters, in order; each name once.
    public init(scheme: String, parameters: [Parameter] = []) {
        self.init(scheme: scheme, token68: nil, parameters: parameters)
    }

    init(scheme: String, token68: String?, parameters: [Parameter]) {
        self.scheme = scheme
        self.token68 = token68
        self.parameters = parameters
    }

    /// Reads every challenge of a response.
    ///
    /// One field may hold several challenges, and libraries join several fields into one: `Bearer, DPoP algs="ES256"`.
    ///
    /// - Parameter fieldValues: The values of all `WWW-Authenticate` fields, in order; together at most
    ///   ``maximumLength`` bytes and ``maximumCount`` challenges of ``maximumParameterCount`` parameters.
    /// - Returns: The challenges in order; empty if there are no fields.
    /// - Throws: ``HTTPMessageError/Code/malformedChallenge``, also if a parameter occurs twice in a challenge.
    public static func parse(_ fieldValues: [String]) throws(HTTPMessageError) -> [Challenge] {
        guard fieldValues.reduce(0, { $0 + $1.utf8.count }) <= maximumLength else {
            throw .malformedChallenge("the challenges are longer than \(maximumLength) bytes")
        }
        var challenges: [Challenge] = []
        for value in fieldValues {
            var parser = ChallengeParser(Array(value.utf8))
            while let challenge = try parser.next() {
                guard challenges.count < maximumCount else {
                    throw .malformedChallenge("there are more than \(maximumCount) challenges")
                }
                challenges.append(challenge)
            }
        }
        return challenges
    }

    /// The value of a parameter.
    ///
    /// - Parameter parameterName: The name, in any case.
    /// - Returns: The value without quotes; `nil` if the challenge does not have the parameter.
    public func value(for parameterName: String) -> String? {
        parameters.first { ASCII.isSameIgnoringCase($0.name, parameterName) }?.value
    }

    /// Whether the challenge has a given scheme.
    ///
    /// - Parameter name: The scheme, in any case.
    /// - Returns: Whether the schemes are the same, ignoring ASCII case (RFC 9110 section 11.1).
    public func hasScheme(_ name: String) -> Bool {
        ASCII.isSameIgnoringCase(scheme, name)
    }

    /// The challenge as a field value; every parameter is a quoted-string.
    ///
    /// A control character other than a tab is not allowed in a field and becomes a space.
    public var fieldValue: String {
        var bytes = Array(scheme.utf8)
        if let token68 { bytes += " \(token68)".utf8 }
        for (index, parameter) in parameters.enumerated() {
            bytes += index == 0 ? " ".utf8 : ", ".utf8
            bytes += parameter.name.utf8
            bytes += "=\"".utf8
            for byte in parameter.value.utf8 {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
                bytes.append(ASCII.isControl(byte) && byte != UInt8(ascii: "\t") ? UInt8(ascii: " ") : byte)
            }
            bytes.append(UInt8(ascii: "\""))
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
