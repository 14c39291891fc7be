// SPDX-License-Identifier: Apache-2.0

/// How often a session sends a call to an API again after a failure that may pass.
///
/// These are the failures:
///
/// - Nothing was sent, since the connection could not be made: for any method.
/// - The connection broke off, or the response has status 429, 502, 503 or 504: for the methods that may be repeated (RFC 9110
///   section 9.2.2: GET, HEAD, OPTIONS, PUT, DELETE), and for requests with the field `Idempotency-Key`, which lets the API
///   recognise a repetition.
///
/// Each attempt has its own proof. The wait is what the response asks for (`Retry-After`), else a random part of half a second,
/// then of one second, and so on. If the last attempt fails too, its response or error is returned. Requests whose body is a
/// stream are not sent again, nor those that another HTTP client sends for the session.
///
/// All sessions of a client together send at most one more request for ten calls, after a reserve of ten: an API that is down
/// is not flooded.
public struct RetryPolicy: Sendable, Hashable {
    /// The most often that a call is sent; 1 for no repetition.
    public let maximumAttempts: Int
    /// The longest `Retry-After` that is waited for; a response that asks for more is returned at once.
    public let longestWait: Duration

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - maximumAttempts: The most often that a call is sent; less than 1 counts as 1.
    ///   - longestWait: The longest `Retry-After` that is waited for.
    public init(maximumAttempts: Int, longestWait: Duration = .seconds(30)) {
        self.maximumAttempts = max(maximumAttempts, 1)
        self.longestWait = longestWait
    }

    /// Sends each call once; the default.
    public static let none = RetryPolicy(maximumAttempts: 1)
    /// Sends each call three times at most.
    public static let standard = RetryPolicy(maximumAttempts: 3)

    /// The longest wait before an attempt: what the response asks for, or the limit of a random wait.
    ///
    /// - Parameters:
    ///   - attempts: How often the call was sent.
    ///   - asked: The `Retry-After` of the last response.
    /// - Returns: The wait; `nil` if the call is not sent again.
    func longestWait(after attempts: Int, asked: Duration?) -> Duration? {
        guard attempts < maximumAttempts else { return nil }
        if let asked { return asked <= longestWait ? asked : nil }
        // Half a second, doubled; the shift is bounded, since an app may allow any number of attempts.
        return min(.milliseconds(500 << min(attempts - 1, 16)), longestWait)
    }

    /// Whether a request may reach the API twice.
    static func isRepeatable(_ method: String, hasIdempotencyKey: Bool) -> Bool {
        hasIdempotencyKey || ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"].contains(method)
    }

    /// Whether a response with this status may be another one soon.
    static func isPassing(_ status: Int) -> Bool { [429, 502, 503, 504].contains(status) }
}
