// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem
import StrictJSON

/// `auth_session` as a client presents it: the session that it names, and the hash of the part that changes.
///
/// OAuth 2.0 for First-Party Applications section 5.3.1.
///
/// The format is `kbf_`, then in base64url the identifier of the session (16 bytes: milliseconds since 1970 in six, the
/// shard in one, nine random) and 32 random bytes that each checked answer replaces: 68 characters. Unlike a code, it
/// keeps its identifier, so that a session stays where it is in a database.
public struct AuthSession: Sendable, Hashable {
    /// The identifier of the session: 22 characters of base64url.
    public let sessionID: String
    /// The hash of the whole value.
    public let hash: SecretHash

    /// Reads a value; `nil` for any text that `make(for:_:)` does not write.
    ///
    /// - Parameter text: The value as presented; untrusted input.
    public init?(_ text: String) {
        let prefix = SecretPrefix.authSession.rawValue
        guard text.utf8.count == Self.length, text.utf8.starts(with: prefix.utf8),
            let bytes = try? Base64URL.decode(String(text.dropFirst(prefix.count)))
        else { return nil }
        sessionID = Base64URL.encode(Array(bytes.prefix(Self.identifierSize)))
        hash = SecretHash(of: text)
    }

    /// Makes a value.
    ///
    /// - Parameters:
    ///   - sessionID: The identifier of the session.
    ///   - entropy: The source of random bytes.
    /// - Returns: 68 characters, or `nil` if the identifier is not 16 bytes in base64url.
    package static func make(for sessionID: String, _ entropy: any Entropy) -> String? {
        guard let identifier = try? Base64URL.decode(sessionID), identifier.count == identifierSize else { return nil }
        return SecretPrefix.authSession.rawValue + Base64URL.encode(identifier + entropy.bytes(secretSize))
    }

    /// The number of characters.
    package static let length = 68
    private static let identifierSize = 16
    private static let secretSize = 32
}
