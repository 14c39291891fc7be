// SPDX-License-Identifier: Apache-2.0

/// The value of an `Authorization` field that carries one token (RFC 9110 section 11.4): `DPoP eyJ...`, `Basic dTpw`.
///
/// Printing shows the scheme only, and a placeholder for a scheme of more than 16 bytes.
public struct Credentials: Sendable {
    /// The longest text that ``parse(_:)`` reads, in bytes.
    public static let maximumLength = 65_536

    /// The scheme as written, to be compared without ASCII case.
    public let scheme: String
    /// The token exactly as sent; a secret.
    public let token68: String

    /// Reads the value of an `Authorization` field.
    ///
    /// - Parameter fieldValue: A scheme, at least one space, and a token68, nothing else; at most ``maximumLength`` bytes.
    /// - Returns: The two parts.
    /// - Throws: ``HTTPMessageError/Code/malformedChallenge``.
    public static func parse(_ fieldValue: String) throws(HTTPMessageError) -> Credentials {
        let bytes = fieldValue.utf8
        guard bytes.count <= maximumLength else {
            throw .malformedChallenge("the credentials are longer than \(maximumLength) bytes")
        }
        let scheme = bytes.prefix(while: ASCII.isTokenCharacter)
        let rest = bytes[scheme.endIndex...]
        let token = rest.drop { $0 == UInt8(ascii: " ") }
        guard !scheme.isEmpty, token.startIndex > rest.startIndex else {
            throw .malformedChallenge("credentials must be a scheme, a space and a token")
        }
        let characters = token.prefix(while: ASCII.isToken68Character)
        guard !characters.isEmpty, token[characters.endIndex...].allSatisfy({ $0 == UInt8(ascii: "=") }) else {
            throw .malformedChallenge("the token of the credentials holds characters that a token68 cannot hold")
        }
        return Credentials(scheme: String(Substring(scheme)), token68: String(Substring(token)))
    }

    /// Whether the credentials are of a scheme.
    ///
    /// - Parameter name: The scheme, in any case.
    /// - Returns: Whether the scheme is the same but for ASCII case (RFC 9110 section 11.1).
    public func hasScheme(_ name: String) -> Bool {
        ASCII.isSameIgnoringCase(scheme, name)
    }
}

extension Credentials: CustomStringConvertible, CustomReflectable {
    /// The longest scheme that is printed: a longer one is no registered name, but may be a token before a stray space.
    private static let longestPrintedScheme = 16

    private var printedScheme: String { scheme.utf8.count <= Self.longestPrintedScheme ? scheme : "(scheme too long)" }

    /// The scheme, when it has at most 16 bytes, and placeholders for what is not printed.
    public var description: String { "\(printedScheme) (redacted)" }

    /// The scheme only, when it has at most 16 bytes.
    public var customMirror: Mirror { Mirror(self, children: ["scheme": printedScheme]) }
}
