// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import OAuthSystem
import ServerStorage
import StrictJSON

/// A value that is bound to a parameter of a statement.
enum PostgreSQLValue: Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    static func hash(_ hash: SecretHash) -> Self { .blob(hash.bytes) }
    static func time(_ time: Timestamp) -> Self { .integer(time.millisecondsSince1970) }
    static func flag(_ flag: Bool) -> Self { .integer(flag ? 1 : 0) }
    static func attempt(_ attempt: WriteAttempt) -> Self { .integer(attempt.id) }
    static func optional(_ attempt: WriteAttempt?) -> Self { attempt.map { .attempt($0) } ?? .null }
    static func count(_ count: Int) -> Self { .integer(Int64(count)) }
    static func json(_ json: JSONValue) -> Self { .text(String(decoding: json.encoded(), as: UTF8.self)) }
    static func optional(_ time: Timestamp?) -> Self { time.map { .time($0) } ?? .null }
    static func optional(_ text: String?) -> Self { text.map { .text($0) } ?? .null }
    static func optionalBytes(_ text: String?) -> Self { text.map { .blob(Array($0.utf8)) } ?? .null }
    static func optional(_ hash: SecretHash?) -> Self { hash.map { .hash($0) } ?? .null }
    static func optional(_ thumbprint: JWKThumbprint?) -> Self { thumbprint.map { .text($0.description) } ?? .null }
}
#endif
