// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import ResourceServer
import StrictJSON

/// The fields by which an API behind a gateway learns who sent a request.
///
/// All of them are in every answer that lets a request pass, so that none of the client's own can stay: `-` stands for a
/// claim that the token lacks. Bytes outside visible ASCII, `%` and `,` are percent-encoded, and a claim that is `-` itself
/// is `%2D`; only between the tokens of a scope are there spaces. Between the elements of an array there are commas, so its
/// value is split at commas first, and each part is decoded then.
public enum IdentityFields {
    /// The names that every answer has, in the order of the documentation.
    public static let names = [
        "X-Keybound-Subject", "X-Keybound-Client", "X-Keybound-Scope", "X-Keybound-Issuer", "X-Keybound-Acr",
        "X-Keybound-Auth-Time", "X-Keybound-Binding",
    ]
    /// The field with the status that the gateway decided on, in every answer about a request.
    public static let status = "X-Keybound-Status"

    /// The largest value, in bytes as sent.
    static let maximumLength = 1024
    static let nothing = "-"

    /// Whether a configuration may use a name for a claim.
    ///
    /// - Parameter name: The name of a field.
    /// - Returns: Whether it begins with `X-Keybound-`, has letters, digits and hyphens, and is no name of the gateway.
    public static func isCustomName(_ name: String) -> Bool {
        let prefix = "X-Keybound-"
        let own = names + [status, prefix + "Nonce", prefix + "Reason"]
        return name.hasPrefix(prefix) && name.utf8.count > prefix.utf8.count && name.utf8.count <= 64
            && name.utf8.allSatisfy { ASCII.isAlpha($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "-") }
            && !own.contains { ASCII.isSameIgnoringCase($0, name) }
    }

    /// The fields of a request without a token.
    static func anonymous(_ api: ProtectedAPI) -> HTTPFields {
        var fields = HTTPFields()
        for name in names + api.claimSources.map({ $0.field }) { fields.append(name: name, value: nothing) }
        return fields
    }

    /// A claim does not fit into its field.
    struct TooLong: Error {
        let field: String
    }

    /// The fields of an accepted request.
    ///
    /// A value that is too long is an error: with a part of it, or with `-`, the API would decide about another one.
    static func fields(of request: AuthorizedRequest, _ api: ProtectedAPI) throws(TooLong) -> HTTPFields {
        guard let subject = encoded(request.subject) else { throw TooLong(field: names[0]) }
        guard let client = encoded(request.clientID) else { throw TooLong(field: names[1]) }
        let claims = request.claims
        let values = [
            subject, client, try scope(request), try fitting(claims.issuer, names[3]),
            try fitting(claims.string("acr"), names[4]),
            authTime(claims) ?? nothing,
            request.binding.thumbprint.map { "dpop:\($0)" } ?? "bearer",
        ]
        var fields = HTTPFields()
        for (name, value) in zip(names, values) { fields.append(name: name, value: value) }
        for (name, claim) in api.claimSources {
            guard let value = value(of: claim?.value(in: claims.object)) else { throw TooLong(field: name) }
            fields.append(name: name, value: value)
        }
        return fields
    }

    /// A claim as it is sent; `-` if it is empty or of another type, `nil` if it is too long.
    ///
    /// No part of an array is left out: with an element that is no string, number or Boolean, nothing of it is sent.
    private static func value(of claim: JSONValue?) -> String? {
        guard let claim else { return nothing }
        let elements = claim.arrayValue ?? [claim]
        let texts = elements.compactMap(text)
        guard texts.count == elements.count else { return nothing }
        let parts = texts.compactMap(escaped)
        let joined = parts.joined(separator: ",")
        guard parts.count == texts.count, joined.utf8.count <= maximumLength else { return nil }
        return joined.isEmpty ? nothing : joined
    }

    /// Whole seconds: a NumericDate may have a fraction (RFC 7519 section 2).
    private static func authTime(_ claims: JWTClaims) -> String? {
        (try? claims.object.optionalDate("auth_time")).flatMap { $0 }.map { String($0.secondsSince1970) }
    }

    private static func scope(_ request: AuthorizedRequest) throws(TooLong) -> String {
        let tokens = request.scope.tokens
        let parts = tokens.compactMap(escaped)
        let text = parts.joined(separator: " ")
        guard parts.count == tokens.count, text.utf8.count <= maximumLength else { throw TooLong(field: names[2]) }
        return text.isEmpty ? nothing : text
    }

    private static func fitting(_ text: String?, _ field: String) throws(TooLong) -> String {
        guard let text, !text.isEmpty else { return nothing }
        guard let value = escaped(text) else { throw TooLong(field: field) }
        return value
    }

    /// Strings, numbers and booleans; a value of another kind has no text.
    private static func text(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): text
        case .number(let number): number.literal
        case .bool(let flag): flag ? "true" : "false"
        default: nil
        }
    }

    /// A value as it is sent; `nil` if it is empty or too long.
    static func encoded(_ text: String) -> String? {
        text.isEmpty ? nil : escaped(text)
    }

    /// A text without commas and bytes outside visible ASCII; `nil` if it is too long.
    private static func escaped(_ text: String) -> String? {
        guard text != nothing else { return "%2D" }
        guard text.utf8.count <= maximumLength else { return nil }
        if text.utf8.allSatisfy(isPlain) { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isPlain(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%")] + Array(hex(byte).utf8)
            }
        }
        return bytes.count <= maximumLength ? String(decoding: bytes, as: UTF8.self) : nil
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "%") && byte != UInt8(ascii: ",")
    }

    private static func hex(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return byte < 16 ? "0" + digits : digits
    }
}
