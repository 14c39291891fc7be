// SPDX-License-Identifier: Apache-2.0

/// A set of scope tokens (RFC 6749 section 3.3), in their original order.
///
/// The order is kept for writing but has no meaning: two scopes are equal if they contain the same tokens.
public struct Scope: Sendable, Hashable, CustomStringConvertible {
    /// The tokens, each once.
    public let tokens: [String]

    /// The scope without tokens.
    public static let empty = Scope(unchecked: [])

    /// Makes a scope from its tokens.
    ///
    /// - Parameter tokens: Case-sensitive, each one or more ASCII characters without space, `"` and `\`; a repeated
    ///   token counts once.
    /// - Throws: ``OAuthCoreError/Code/malformedScope``.
    public init(_ tokens: [String]) throws(OAuthCoreError) {
        for token in tokens {
            guard !token.isEmpty, token.utf8.allSatisfy(Self.isTokenCharacter) else {
                throw OAuthCoreError(
                    .malformedScope,
                    "a scope token is one or more characters of ASCII without space, quotation mark and backslash"
                )
            }
        }
        self.init(unchecked: tokens)
    }

    /// Reads the value of a `scope` parameter.
    ///
    /// - Parameter text: Tokens separated by one space; the empty text is the empty scope.
    /// - Throws: ``OAuthCoreError/Code/malformedScope``.
    public init(parsing text: String) throws(OAuthCoreError) {
        guard !text.isEmpty else {
            self = .empty
            return
        }
        let words = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        try self.init(words.map { String(Substring($0)) })
    }

    private init(unchecked tokens: [String]) {
        var seen: Set<String> = []
        self.tokens = tokens.filter { seen.insert($0).inserted }
    }

    /// Whether there are no tokens.
    public var isEmpty: Bool { tokens.isEmpty }

    /// Whether a token is in the scope.
    ///
    /// - Parameter token: The token, case-sensitive.
    /// - Returns: Whether it is one of ``tokens``.
    public func contains(_ token: String) -> Bool {
        tokens.contains(token)
    }

    /// Whether another scope contains every token.
    ///
    /// - Parameter other: The wider scope.
    /// - Returns: Whether this scope requests nothing more.
    public func isSubset(of other: Scope) -> Bool {
        Set(tokens).isSubset(of: other.tokens)
    }

    /// The tokens that are also in another scope, in the order of this one.
    ///
    /// - Parameter other: The other scope.
    /// - Returns: The common tokens.
    public func intersection(_ other: Scope) -> Scope {
        Scope(unchecked: tokens.filter(Set(other.tokens).contains))
    }

    /// The value for a `scope` parameter: tokens separated by one space.
    public var description: String { tokens.joined(separator: " ") }

    /// Whether two scopes hold the same tokens.
    public static func == (left: Scope, right: Scope) -> Bool {
        Set(left.tokens) == Set(right.tokens)
    }

    /// Hashes the tokens independent of their order.
    ///
    /// - Parameter hasher: The hasher to use.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(Set(tokens))
    }

    /// `NQCHAR` of RFC 6749 appendix A.
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        byte == 0x21 || (byte >= 0x23 && byte <= 0x5B) || (byte >= 0x5D && byte <= 0x7E)
    }
}
