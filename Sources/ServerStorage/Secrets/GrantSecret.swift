// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem
import StrictJSON

/// A code or token as a client presents it: its hash, and the grant that it names.
///
/// A server knows the grant, and the shard of a database in which it lies, before it asks its storage. The value proves
/// nothing until the storage has found its hash: identifiers of grants are not secret.
///
/// The format is a prefix of four characters (`SecretPrefix`), then in base64url:
///
/// | kind | bytes | characters in all |
/// |---|---|---|
/// | code, device code | grant (16), 32 random | 68 |
/// | opaque access token | grant (16), seconds since 1970 (4), 32 random | 74 |
/// | refresh token | grant (16), family (16), 24 random | 79 |
public struct GrantSecret: Sendable, Hashable {
    /// What a secret is for.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// An authorization code.
        case code
        /// A device code.
        case deviceCode
        /// An opaque access token.
        case accessToken
        /// A refresh token.
        case refreshToken
    }

    /// The identifier of the grant: 22 characters of base64url.
    public let grantID: String
    /// The hash of the whole value.
    public let hash: SecretHash
    /// The hash of the part that all refresh tokens of a grant share; `nil` for the other kinds.
    ///
    /// Only who was issued a refresh token of the grant knows that part. So a token with the right family that is not
    /// the current one was used before, and one with another family was never issued.
    public let familyHash: SecretHash?

    /// Reads a value; `nil` for any text that `make(_:for:of:at:_:)` does not write.
    ///
    /// - Parameters:
    ///   - text: The value as presented; untrusted input.
    ///   - kind: What it must be.
    public init?(_ text: String, as kind: Kind) {
        guard let bytes = Self.bytes(of: text, as: kind) else { return nil }
        grantID = Base64URL.encode(Array(bytes.prefix(Self.grantSize)))
        hash = SecretHash(of: text)
        familyHash = kind == .refreshToken ? Self.familyHash(Self.family(in: bytes)) : nil
    }

    /// The secret part that a refresh token shares with its successors.
    ///
    /// - Parameter text: The refresh token.
    /// - Returns: 16 bytes; `nil` if the text is no refresh token.
    package static func family(ofRefreshToken text: String) -> [UInt8]? {
        bytes(of: text, as: .refreshToken).map { Array(family(in: $0)) }
    }

    /// Makes a secret.
    ///
    /// - Parameters:
    ///   - kind: What it is for.
    ///   - grantID: The grant that it names.
    ///   - family: For a refresh token, the family of the token that it replaces; `nil` for a new family.
    ///   - now: The time.
    ///   - entropy: The source of random bytes.
    /// - Returns: The value, or `nil` if the identifier of the grant is not 16 bytes in base64url.
    package static func make(
        _ kind: Kind,
        for grantID: String,
        of family: [UInt8]? = nil,
        at now: Timestamp,
        _ entropy: any Entropy
    ) -> String? {
        guard let grant = try? Base64URL.decode(grantID), grant.count == grantSize else { return nil }
        let rest =
            switch kind {
            case .code, .deviceCode: entropy.bytes(32)
            case .accessToken: UInt32(clamping: now.secondsSince1970).bigEndianBytes + entropy.bytes(32)
            case .refreshToken: (family ?? entropy.bytes(familySize)) + entropy.bytes(24)
            }
        return kind.prefix + Base64URL.encode(grant + rest)
    }

    private static let grantSize = 16
    private static let familySize = 16

    private static func bytes(of text: String, as kind: Kind) -> [UInt8]? {
        guard text.utf8.count == kind.length, text.utf8.starts(with: kind.prefix.utf8) else { return nil }
        return try? Base64URL.decode(String(text.dropFirst(kind.prefix.count)))
    }

    private static func family(in bytes: [UInt8]) -> ArraySlice<UInt8> {
        bytes[grantSize..<(grantSize + familySize)]
    }

    private static func familyHash(_ family: ArraySlice<UInt8>) -> SecretHash {
        SecretHash(of: Base64URL.encode(Array(family)))
    }
}

extension GrantSecret.Kind {
    /// The first four characters.
    package var prefix: String {
        let prefix: SecretPrefix =
            switch self {
            case .code: .code
            case .deviceCode: .deviceCode
            case .accessToken: .accessToken
            case .refreshToken: .refreshToken
            }
        return prefix.rawValue
    }

    /// The number of characters of a value.
    var length: Int {
        switch self {
        case .code, .deviceCode: 68
        case .accessToken: 74
        case .refreshToken: 79
        }
    }
}
