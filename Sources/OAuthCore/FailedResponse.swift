// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
import OAuthSystem
import StrictJSON

/// The content of an unsuccessful response.
///
/// Servers, proxies and gateways send errors as JSON, HTML or without a body. The status is always used; the rest is
/// used if it can be read (RFC 6749 section 5.2).
public struct FailedResponse: Sendable, Hashable, CustomStringConvertible {
    /// The HTTP status code.
    public let status: Int
    /// The error in the body; `nil` if the body is not an OAuth error.
    public let error: OAuthErrorResponse?
    /// `Retry-After` (RFC 9110 section 10.2.3), at most a day.
    ///
    /// A date is relative to the `Date` of the response.
    public let retryAfter: Duration?

    /// Reads a response; parts that cannot be read are left out.
    ///
    /// - Parameter response: A response with an unsuccessful status.
    public init(_ response: HTTPResponse) {
        status = response.status
        error = (try? JSONValue(parsing: response.body))?.objectValue.flatMap { try? OAuthErrorResponse(parsing: $0) }
        retryAfter = response.fields["Retry-After"].flatMap {
            Self.parseSeconds($0) ?? Self.parseDate($0, from: response.fields["Date"])
        }
    }

    /// The status and the error code, without the server's text.
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

    /// Both dates are from the server's clock, so the device's clock does not matter.
    private static func parseDate(_ text: String, from now: String?) -> Duration? {
        guard let then = HTTPDate(text)?.time, let now = now.flatMap(HTTPDate.init)?.time else { return nil }
        return .seconds(min(max(then.secondsSince1970 - now.secondsSince1970, 0), longestDelay))
    }
}
