// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import StrictJSON

/// Tokens that no honest signer would make: any header and payload, optionally with a valid signature.
public enum RawJWS {
    /// Signs any bytes.
    ///
    /// - Parameters:
    ///   - header: The bytes of the header, used unchanged.
    ///   - payload: The bytes of the payload.
    ///   - key: The key that signs.
    /// - Returns: The compact serialization.
    /// - Throws: The error of the key.
    public static func sign(header: [UInt8], payload: [UInt8], with key: some SigningKey) async throws -> String {
        let input = "\(Base64URL.encode(header)).\(Base64URL.encode(payload))"
        let signature = try await key.sign(Array(input.utf8))
        return "\(input).\(Base64URL.encode(signature))"
    }

    /// The same token with a changed signature.
    ///
    /// - Parameters:
    ///   - token: A compact serialization.
    ///   - change: Gets the bytes of the signature.
    /// - Returns: The compact serialization.
    /// - Throws: ``JOSEError`` if the token has no signature.
    public static func changingSignature(
        of token: String,
        _ change: (inout [UInt8]) -> Void
    ) throws(StrictJSONError) -> String {
        let segments = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map { String(decoding: Array($0), as: UTF8.self) }
        var signature = try Base64URL.decode(segments.last ?? "")
        change(&signature)
        return (segments.dropLast() + [Base64URL.encode(signature)]).joined(separator: ".")
    }
}
