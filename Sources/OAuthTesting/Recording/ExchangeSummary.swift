// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import StrictJSON

/// The parts of an exchange that may be printed.
///
/// Anything that is not known to be harmless is left out: an unknown parameter may be a secret.
enum ExchangeSummary {
    private static let harmlessFields: Set<String> = [
        "accept", "cache-control", "content-length", "content-type", "date", "host", "origin", "retry-after",
        "www-authenticate",
    ]

    private static let harmlessParameters: Set<String> = [
        "client_id", "code_challenge_method", "decision", "error", "error_description", "expires_in", "grant_type",
        "redirect_uri", "response_type", "scope", "token_type", "token_type_hint",
    ]

    static func text(of exchange: RecordedExchange) -> String {
        let request = exchange.requestWithSecretsInClear
        var lines = ["\(request.method) \(exchange.url)"]
        lines += fields(request.fields) + parameters(of: request).map { "  \(shown($0.name, $0.value))" }
        switch exchange.outcome {
        case .underWay: lines.append("-> no answer yet")
        case .failure(let code): lines.append("-> \(code)")
        case .response(let response):
            lines.append("-> \(response.status)")
            lines += fields(response.fields) + body(of: response)
        }
        return lines.joined(separator: "\n")
    }

    /// The parameters of the query and of a form.
    static func parameters(of request: HTTPRequest) -> [FormParameters.Parameter] {
        let query = request.query.flatMap { try? FormParameters(decoding: $0).all } ?? []
        guard request.fields.hasMediaType(FormParameters.mediaType) else { return query }
        return query + ((try? FormParameters(decoding: request.body).all) ?? [])
    }

    private static func fields(_ fields: HTTPFields) -> [String] {
        fields.all.map { field in
            "  \(field.name): \(harmlessFields.contains(field.name.lowercased()) ? field.value : hidden)"
        }
    }

    private static func body(of response: HTTPResponse) -> [String] {
        guard !response.body.isEmpty else { return [] }
        guard let object = (try? JSONValue(parsing: response.body))?.objectValue else {
            return ["  \(response.body.count) bytes"]
        }
        return object.members.map { member in
            let value = member.value.stringValue ?? member.value.integerValue.map { "\($0)" }
            return "  \(shown(member.name, value ?? ""))"
        }
    }

    private static func shown(_ name: String, _ value: String) -> String {
        "\(name)=\(harmlessParameters.contains(name) ? value : hidden)"
    }

    private static let hidden = "(redacted)"
}
