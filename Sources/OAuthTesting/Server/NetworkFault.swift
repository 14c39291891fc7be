// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage

/// A fault of one request.
///
/// Used with ``FakeAuthorizationServer/answerNext(with:times:at:)`` and
/// ``FakeResourceServer/answerNext(with:times:at:)``.
public struct NetworkFault: Sendable {
    enum Kind: Sendable {
        case answer(HTTPResponse)
        case failure
        case lostResponse
        case silence
        case delay(Duration)
        case newNonceSecret
    }

    let kind: Kind

    private init(_ kind: Kind) {
        self.kind = kind
    }

    /// The request does not arrive: the connection is rejected, or the device is offline.
    public static let networkFailure = Self(.failure)

    /// The request arrives and is processed, but the response is lost.
    ///
    /// After a refresh the client does not have the new tokens, and the server has already consumed the old ones.
    public static let responseLost = Self(.lostResponse)

    /// There is no response until the task is cancelled; the request then fails.
    public static let noResponse = Self(.silence)

    /// The server rejects a nonce that it issued as too old, and requires a new one in the proof (RFC 9449 section 8).
    ///
    /// The server itself rejects it: the secret of its nonces is replaced. A client repeats the request with the new
    /// nonce; if this fault affects that request too, the client gives up. Requests without a proof are not affected.
    public static let newNonceDemanded = Self(.newNonceSecret)

    /// The server is overloaded or in maintenance: 503.
    ///
    /// - Parameter retryAfter: The value of `Retry-After`, in whole seconds; `nil` to omit it.
    /// - Returns: The fault.
    public static func unavailable(retryAfter: Duration? = nil) -> Self {
        var response = HTTPResponse(status: 503)
        if let retryAfter { response.fields["Retry-After"] = "\(retryAfter.components.seconds)" }
        return answer(response)
    }

    /// The request is slow: time passes before it is processed.
    ///
    /// The ``TestClock`` advances; the test does not wait.
    ///
    /// - Parameter duration: How long it takes.
    /// - Returns: The fault.
    public static func slow(by duration: Duration) -> Self {
        Self(.delay(duration))
    }

    /// Another host responds instead of the server, which does not see the request.
    ///
    /// - Parameter response: The response.
    /// - Returns: The fault.
    public static func answer(_ response: HTTPResponse) -> Self {
        Self(.answer(response))
    }
}
