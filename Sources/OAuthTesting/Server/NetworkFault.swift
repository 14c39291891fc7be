// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage

/// What can go wrong with one request, for ``FakeAuthorizationServer/answerNext(with:times:at:)`` and
/// ``FakeResourceServer/answerNext(with:times:at:)``.
public struct NetworkFault: Sendable {
    enum Kind: Sendable {
        case answer(HTTPResponse)
        case failure
        case lostAnswer
        case silence
        case delay(Duration)
        case newNonceSecret
    }

    let kind: Kind

    private init(_ kind: Kind) {
        self.kind = kind
    }

    /// The request does not arrive: the connection is refused, or the device is offline.
    public static let networkFailure = Self(.failure)

    /// The request arrives and is carried out, and the answer is lost on its way back.
    ///
    /// After a refresh the client does not have the new tokens, and the server has spent the old ones.
    public static let answerLost = Self(.lostAnswer)

    /// There is no answer until the task is cancelled, which is when the request fails.
    public static let noAnswer = Self(.silence)

    /// The server finds a nonce too old that it gave out before, and demands a new one in the proof (RFC 9449 section 8).
    ///
    /// It is the server itself that refuses: the secret is replaced that its nonces are made with. A client sends the
    /// request once more with the new nonce; when this fault meets that one too, the client gives up. Requests without a
    /// proof are answered as ever.
    public static let newNonceDemanded = Self(.newNonceSecret)

    /// The server is overloaded or being serviced: 503.
    ///
    /// - Parameter retryAfter: How long it wants to be left alone, in whole seconds; `nil` when it does not say.
    /// - Returns: The fault.
    public static func unavailable(retryAfter: Duration? = nil) -> Self {
        var response = HTTPResponse(status: 503)
        if let retryAfter { response.fields["Retry-After"] = "\(retryAfter.components.seconds)" }
        return answer(response)
    }

    /// The request takes long: time passes before it is carried out.
    ///
    /// It is the ``TestClock`` that moves; the test does not wait.
    ///
    /// - Parameter duration: How long it takes.
    /// - Returns: The fault.
    public static func slow(by duration: Duration) -> Self {
        Self(.delay(duration))
    }

    /// Something else answers in place of the server, which gets to know nothing of the request.
    ///
    /// - Parameter response: The answer.
    /// - Returns: The fault.
    public static func answer(_ response: HTTPResponse) -> Self {
        Self(.answer(response))
    }
}
