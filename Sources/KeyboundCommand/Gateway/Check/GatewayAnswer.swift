// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem

/// What came back for a request with a token, and what it says about the gateway.
struct GatewayAnswer: Sendable {
    private let result: Result<HTTPResponse, OAuthCoreError>

    /// Sends a request; by default to the path of the URL.
    init(from url: CheckedURL, path: String? = nil, fields: HTTPFields, method: String = "GET") async {
        do throws(OAuthCoreError) {
            result = .success(try await url.send(path ?? url.path, fields, method: method))
        } catch {
            result = .failure(error)
        }
    }

    /// Sends a request to change the connection to HTTP/2.
    init(askingForHTTP2 url: CheckedURL, fields: HTTPFields) async {
        do throws(OAuthCoreError) {
            result = .success(try await url.askForHTTP2(url.path, fields))
        } catch {
            result = .failure(error)
        }
    }

    /// The answer of the API, if it is a success.
    var passed: HTTPResponse? {
        guard case .success(let answer) = result, (200..<300).contains(answer.status) else { return nil }
        return answer
    }

    var nonce: String? { try? result.get().fields["DPoP-Nonce"] }

    /// `error` of the challenge.
    var error: String? { challenge?.value(for: "error") }

    private var challenge: Challenge? {
        guard case .success(let answer) = result else { return nil }
        let challenges = try? Challenge.parse(answer.fields.values(for: "WWW-Authenticate"))
        return challenges?.first { $0.value(for: "error") != nil }
    }

    // MARK: Judgements

    /// The request must be rejected.
    var refusal: GatewayFinding.Judgement {
        judgement { status in
            switch status {
            case 400, 401: .good
            case 403, 421, 429, 502...504:
                .unknown("the answer is \(status), not 401: it may be rejected for another reason")
            default: .weak("the answer is \(status), not 401: the request passed")
            }
        }
    }

    /// The request must be rejected, by the proxy or by the gateway.
    var refusalOfMethod: GatewayFinding.Judgement {
        judgement { (200..<400).contains($0) ? .weak("the answer is \($0): the request passed") : .good }
    }

    /// The connection must not change its protocol, whether the request passes or not.
    var refusalOfHTTP2: GatewayFinding.Judgement {
        judgement { status in
            switch status {
            case 101: .tunnel
            case 200..<300, 400, 403, 501: .good
            default: .unknown("the answer is \(status): a GET with the token of this account must succeed")
            }
        }
    }

    /// A text of the request must not come back from an API that returns the fields that it got.
    func absence(of text: String) -> GatewayFinding.Judgement {
        guard let passed else { return .unknown(reason) }
        return String(decoding: passed.body, as: UTF8.self).contains(text: text)
            ? .weak("the API gets what the client wrote") : .good
    }

    /// Why a request that should pass did not.
    var reason: String {
        switch result {
        case .failure(let error): return error.reason
        case .success(let answer):
            let words = ["error", "scope", "acr_values"].compactMap { challenge?.value(for: $0) }
            let why = words.isEmpty ? "" : " (\(SafeText.of(words.joined(separator: ", "))))"
            return "the answer is \(answer.status)\(why): a GET with the token of this account must succeed"
        }
    }

    private func judgement(_ judge: (Int) -> GatewayFinding.Judgement) -> GatewayFinding.Judgement {
        switch result {
        case .success(let answer): judge(answer.status)
        case .failure(let error): .unknown(error.reason)
        }
    }
}
