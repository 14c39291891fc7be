// SPDX-License-Identifier: Apache-2.0

/// The value of an `Authorization` field that carries one token (RFC 9110 section 11.4): `DPoP eyJ...`, `Basic dTpw`.
///
/// Printing shows only the scheme, and a placeholder for a scheme of more than 16 bytes.
public struct Credentials: Sendable {
    /// The longest text that ``parse(_:)`` reads, in bytes.
    public static let maximumLength = 65_536

    /// The scheme as written; compare it without ASCII case.
    public let scheme: String
    /// The token exactly as sent; a secret.
    public let token68: String

    /// Reads the value of an `Authorization` field.
    ///
    /// - Parameter fieldValue: A scheme, at least one space, and a token68, nothing else; at most ``maximumLength``
    ///   bytes.
    /// - Returns: The scheme and the token.
    /// - Throws: ``HTTPMessageError/Code/malformedChallenge``.
    public static func parse(_ fieldValue: String) throws(HTTPMessageError) -> Credentials {
        guard fieldValue.utf8.count <= maximumLength else {
            throw .malformedChallenge("the credentials are longer than \(maximumLength) bytes")
        }
        return try fieldValue.utf8.withBytes { bytes throws(HTTPMessageError) in
            let schemeEnd = end(of: ASCII.isTokenCharacter, in: bytes, from: 0)
            let start = end(of: { $0 == UInt8(ascii: " ") }, in: bytes, from: schemeEnd)
            guard schemeEnd > 0, start > schemeEnd else {
                throw .malformedChallenge("credentials must be a scheme, a space and a token")
            }
            let characters = end(of: ASCII.isToken68Character, in: bytes, from: start)
            guard characters > start,
                end(of: { $0 == UInt8(ascii: "=") }, in: bytes, from: characters) == bytes.count
            else {
                throw .malformedChallenge("the token of the credentials holds characters that a token68 cannot hold")
            }
            return Credentials(
                scheme: bytes.asciiText(0..<schemeEnd),
                token68: bytes.asciiText(start..<bytes.count)
            )
        }
    }

    /// Where a run of bytes of one class ends.
    @inline(__always)
    private static func end(of isOne: (UInt8) -> Bool, in bytes: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < bytes.count, isOne(bytes[index]) { index += 1 }
        return index
    }

    /// Whether the credentials have a given scheme.
    ///
    /// - Parameter name: The scheme, in any case.
    /// - Returns: Whether the schemes are the same, ignoring ASCII case (RFC 9110 section 11.1).
    public func hasScheme(_ name: String) -> Bool {
        ASCII.isSameIgnoringCase(scheme, name)
    }
}

extension Credentials: CustomStringConvertible, CustomReflectable {
    /// The longest scheme that is printed.
    ///
    /// A longer one is not a registered name and may be a token before a stray space.
    private static let longestPrintedScheme = 16

    private var printedScheme: String { scheme.utf8.count <= Self.longestPrintedScheme ? scheme : "(scheme too long)" }

    /// The scheme if it has at most 16 bytes, and placeholders for what is not printed.
    public var description: String { "\(printedScheme) (redacted)" }

    /// Only the scheme, if it has at most 16 bytes.
    public var customMirror: Mirror { Mirror(self, children: ["scheme": printedScheme]) }
}
