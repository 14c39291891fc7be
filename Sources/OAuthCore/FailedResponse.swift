// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
import OAuthSystem
import StrictJSON

/// What a response that is not a success says, however little that is.
///
/// Servers, proxies and gateways answer errors with JSON, HTML or nothing at all: the status always counts, the rest when
/// it can be read (RFC 6749 section 5.2).
public struct FailedResponse: Sendable, Hashable, CustomStringConvertible {
    /// The HTTP status code.
    public let status: Int
    /// The error in the body; `nil` when the body is not an OAuth error.
    public let error: OAuthErrorResponse?
    /// `Retry-After` (RFC 9110 section 10.2.3), at most a day; a date counts from the `Date` of the response.
    public let retryAfter: Duration?

    /// Reads a response; whatever cannot be read is left out.
    ///
    /// - Parameter response: A response with a status other than success.
    public init(_ response: HTTPResponse) {
        status = response.status
        error = (try? JSONValue(parsing: response.body))?.objectValue.flatMap { try? OAuthErrorResponse(parsing: $0) }
        retryAfter = response.fields["Retry-After"].flatMap {
            Self.parseSeconds($0) ?? Self.parseDate($0, from: response.fields["Date"])
        }
    }

    /// Status and error code, without the server's text.
    public var description: String {
        error.map { "HTTP \(status), \($0.error)" } ?? "HTTP \(status)"
    }

    /// A day, in seconds.
    private static let longestDelay: Int64 = 86_400

    private static func parseSeconds(_ text: String) -> Duration? {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else {
            return nil
        }
        return .seconds(min(Int64(text) ?? .max, longestDelay))
    }

    /// What the clock of the server says counts on both sides, so that the clock of the device does not matter.
    private static func parseDate(_ text: String, from now: String?) -> Duration? {
        guard let then = HTTPDate(text)?.time, let now = now.flatMap(HTTPDate.init)?.time else { return nil }
        return .seconds(min(max(then.secondsSince1970 - now.secondsSince1970, 0), longestDelay))
    }
}
