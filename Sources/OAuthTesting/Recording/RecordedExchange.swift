// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
import OAuthCore
public import OAuthSystem

/// A request and its outcome.
///
/// Every printed form is free of secrets: it shows names, and only values that cannot be secret.
public struct RecordedExchange: Sendable, Identifiable, RedactedSecret {
    enum Outcome: Sendable {
        case underWay
        case response(HTTPResponse)
        case failure(String)
    }

    /// The position in the recording, counted from 0 in the order in which requests were sent.
    public let id: Int
    /// The request as sent, with its token, proof and parameters: for assertions, not for printing.
    public let requestWithSecretsInClear: HTTPRequest
    let outcome: Outcome

    init(id: Int, _ request: HTTPRequest, _ outcome: Outcome = .underWay) {
        self.id = id
        requestWithSecretsInClear = request
        self.outcome = outcome
    }

    /// The method.
    public var method: String { requestWithSecretsInClear.method }

    /// The URL without its query.
    public var url: String { String(requestWithSecretsInClear.path) }

    /// The names of the parameters of the query, then those of the form, in order.
    public var parameterNames: [String] { ExchangeSummary.parameters(of: requestWithSecretsInClear).map(\.name) }

    /// The status of the response; `nil` without one.
    public var status: Int? { responseWithSecretsInClear?.status }

    /// The response as received: for assertions, not for printing; `nil` if there is none.
    public var responseWithSecretsInClear: HTTPResponse? {
        guard case .response(let response) = outcome else { return nil }
        return response
    }

    /// The code of the error that the request failed with, such as `transportFailed`; `nil` if it did not fail.
    public var failure: String? {
        guard case .failure(let code) = outcome else { return nil }
        return code
    }

    /// Request and response, one or more lines each, without secrets.
    public var description: String { ExchangeSummary.text(of: self) }

    /// The same as ``description``.
    public var debugDescription: String { description }

    var isOver: Bool {
        if case .underWay = outcome { return false }
        return true
    }

    func answered(by response: HTTPResponse) -> Self {
        Self(id: id, requestWithSecretsInClear, .response(response))
    }

    func failed(as code: OAuthCoreError.Code) -> Self {
        Self(id: id, requestWithSecretsInClear, .failure(code.rawValue))
    }
}
