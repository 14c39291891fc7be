// SPDX-License-Identifier: Apache-2.0

import OAuthClient

/// The name of an app of Apple platforms: its application identifier prefix, mostly the team ID, a dot, the bundle identifier.
///
/// ## Specification
///
/// [applinks.Details](https://developer.apple.com/documentation/bundleresources/applinks/details-swift.dictionary)
struct AppID: Sendable, Hashable, CustomStringConvertible {
    /// The text: `ABCDE12345.com.example.app`.
    let description: String

    /// Reads an app ID.
    ///
    /// - Parameter text: Ten capital letters and digits, a dot, and a bundle identifier: letters, digits and hyphens with
    ///   single dots between, 155 characters at most.
    /// - Throws: ``OAuthClientError/Code/invalidArgument``.
    init(_ text: String) throws(OAuthClientError) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let prefix = parts.first, prefix.count == 10, prefix.allSatisfy(Self.isPrefixByte) else {
            throw Self.invalid("does not begin with the ten capital letters and digits of a team ID and a dot")
        }
        let bundle = parts.dropFirst()
        guard !bundle.isEmpty, text.utf8.count <= 166,
            bundle.allSatisfy({ !$0.isEmpty && $0.allSatisfy(Self.isBundleByte) })
        else {
            throw Self.invalid("has no bundle identifier of letters, digits, hyphens and single dots after the team ID")
        }
        description = text
    }

    private static func invalid(_ what: String) -> OAuthClientError {
        OAuthClientError(
            .invalidArgument,
            "the app ID \(what); it is TEAMID.bundle.id, as in ABCDE12345.com.example.app"
        )
    }

    private static func isPrefixByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isBundleByte(_ byte: UInt8) -> Bool {
        isPrefixByte(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "-")
    }
}
