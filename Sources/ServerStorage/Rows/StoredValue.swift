// SPDX-License-Identifier: Apache-2.0

package import JOSE
package import OAuthSystem
package import StrictJSON

/// A value of a column.
package enum StoredValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])
}

/// What records are made of, as drivers with a database store it.
extension StoredValue {
    package static func hash(_ hash: SecretHash) -> Self { .blob(hash.bytes) }
    /// In milliseconds since 1970.
    package static func time(_ time: Timestamp) -> Self { .integer(time.millisecondsSince1970) }
    /// In milliseconds.
    package static func duration(_ duration: Duration) -> Self { .time(Timestamp(millisecondsSince1970: 0) + duration) }
    package static func flag(_ flag: Bool) -> Self { .integer(flag ? 1 : 0) }
    package static func attempt(_ attempt: WriteAttempt) -> Self { .integer(attempt.id) }
    package static func count(_ count: Int) -> Self { .integer(Int64(count)) }
    package static func json(_ json: JSONValue) -> Self { .text(String(decoding: json.encoded(), as: UTF8.self)) }
    /// The claims of an account; most have none.
    package static func claims(_ claims: JSONObject) -> Self { claims.members.isEmpty ? .null : .json(.object(claims)) }
    package static func optional(_ attempt: WriteAttempt?) -> Self { attempt.map { .attempt($0) } ?? .null }
    package static func optional(_ time: Timestamp?) -> Self { time.map { .time($0) } ?? .null }
    package static func optional(_ text: String?) -> Self { text.map { .text($0) } ?? .null }
    package static func optional(_ hash: SecretHash?) -> Self { hash.map { .hash($0) } ?? .null }
    package static func optional(_ thumbprint: JWKThumbprint?) -> Self {
        thumbprint.map { .text($0.description) } ?? .null
    }
}
