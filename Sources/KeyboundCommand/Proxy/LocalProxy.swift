// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient

/// What `keybound proxy` does with each request: it checks who sends it, and sends it to the API with token and proof.
struct LocalProxy: Sendable {
    /// Sends a request with the access token and a new proof.
    typealias Sending = @Sendable (HTTPRequest) async throws -> HTTPResponse

    /// The only origin that requests are sent to, such as `https://api.example.com`.
    let origin: String
    /// Who may use it.
    let entrance: ProxyEntrance
    /// What the user must do, so that there is a session again and the challenge of the API is met if there is one.
    let advice: @Sendable (StepUpChallenge?) -> String
    let send: Sending

    /// Responds to a request of a program on this machine.
    ///
    /// - Parameter request: The request, with a target in origin-form (RFC 9112 section 3.2.1).
    /// - Returns: The response of the API; one of the proxy begins with `keybound proxy:`.
    func respond(to request: HTTPRequest) async -> HTTPResponse {
        if let objection = entrance.objection(to: request) { return Self.answer(403, objection) }
        // RFC 9110 section 9.3.8: the response to TRACE would show the token. Section 9.3.6: CONNECT makes a tunnel.
        guard !["TRACE", "CONNECT"].contains(request.method.uppercased()) else {
            return Self.answer(501, "the proxy does not forward TRACE and CONNECT")
        }
        // The target begins with a slash, so it cannot change the host.
        let url = origin + request.target
        guard request.target.hasPrefix("/"), !request.target.hasPrefix("//"), (try? URI(parsing: url)) != nil else {
            return Self.answer(
                400,
                "path and query must be percent-encoded (RFC 3986) and begin with one slash, and the URL must not be longer "
                    + "than \(URI.maximumLength) bytes"
            )
        }
        let forwarded = HTTPRequest(
            method: request.method,
            target: url,
            fields: EndToEndFields.ofRequest(request.fields),
            body: request.body
        )
        do {
            return Self.passed(try await send(forwarded))
        } catch {
            return answer(to: error)
        }
    }

    private static func passed(_ response: HTTPResponse) -> HTTPResponse {
        // RFC 9110 section 15: there is no other final status.
        guard (200...599).contains(response.status) else {
            return answer(502, "the API responded with the status \(response.status), which HTTP does not define")
        }
        return HTTPResponse(
            status: response.status,
            fields: EndToEndFields.ofResponse(response.fields),
            body: response.body
        )
    }

    /// 502 (RFC 9110 section 15.6.3) also without a session: a 401 would be taken for one of the API, with a challenge
    /// that the program should meet.
    private func answer(to error: any Error) -> HTTPResponse {
        let failure = CommandFailure(describing: error)
        if let challenge = (error as? OAuthClientError)?.stepUp {
            var response = Self.answer(401, failure.message, advice(challenge))
            response.fields["WWW-Authenticate"] = Self.fieldValue(of: challenge)
            return response
        }
        guard failure.exitCode != .signInNeeded else {
            return Self.answer(502, failure.message, advice(nil))
        }
        return Self.answer(502, [failure.message] + failure.hints)
    }

    /// What a user must do.
    ///
    /// - Parameters:
    ///   - record: The account.
    ///   - granted: The scopes that its session has.
    ///   - challenge: What the API demands; `nil` if it demands nothing.
    /// - Returns: One sentence.
    static func advice(_ record: AccountRecord, granted: [String], meeting challenge: StepUpChallenge?) -> String {
        record.signInAdvice(keeping: granted, meeting: challenge) { command in
            "start keybound proxy again; if you are not signed in, or the API demands it, sign in first: " + command
        }
    }

    /// The challenge of the API (RFC 9470 section 3), which the client library has read.
    private static func fieldValue(of challenge: StepUpChallenge) -> String {
        var parameters = [Challenge.Parameter(name: "error", value: "insufficient_user_authentication")]
        if !challenge.acrValues.isEmpty {
            parameters.append(.init(name: "acr_values", value: challenge.acrValues.joined(separator: " ")))
        }
        if let age = challenge.maxAge {
            parameters.append(.init(name: "max_age", value: String(age.components.seconds)))
        }
        if !challenge.scopes.isEmpty {
            parameters.append(.init(name: "scope", value: challenge.scopes.joined(separator: " ")))
        }
        return Challenge(scheme: "DPoP", parameters: parameters).fieldValue
    }

    private static func answer(_ status: Int, _ lines: String...) -> HTTPResponse {
        answer(status, lines)
    }

    private static func answer(_ status: Int, _ lines: [String]) -> HTTPResponse {
        let text = "keybound proxy: " + lines.map { SafeText.of($0) + "\n" }.joined()
        return HTTPResponse(
            status: status,
            fields: ["Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"],
            body: Array(text.utf8)
        )
    }
}
