// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import StrictJSON

/// Summarises requests and responses: shows what matters, and shortens secrets.
enum ExchangeDescription {
    /// The method and the path.
    static func line(of request: HTTPRequest) -> String {
        let uri = try? URI(parsing: request.target)
        return "\(request.method) \(uri.map { $0.path + ($0.query.map { _ in "?…" } ?? "") } ?? request.target)"
    }

    /// What the request carries.
    static func details(of request: HTTPRequest) -> [String] {
        var details: [String] = []
        if let authorization = request.fields["Authorization"] {
            let parts = authorization.split(separator: " ", maxSplits: 1)
            details.append("Authorization: \(parts.first ?? "") \(shortened(String(parts.last ?? "")))")
        }
        if let attestation = request.fields[ClientAttestationField.attestation] {
            details.append("\(ClientAttestationField.attestation): \(shortened(attestation))")
        }
        for proof in request.fields.values(for: "DPoP") {
            details.append("DPoP: " + description(ofProof: proof))
        }
        if let form = try? FormParameters(decoding: request.body), !form.all.isEmpty {
            details += form.all.map { "\($0.name) = \(shown($0.value, of: $0.name))" }
        }
        return details
    }

    static func line(of response: HTTPResponse) -> String {
        "\(response.status) \(names[response.status] ?? "")"
    }

    static func details(of response: HTTPResponse) -> [String] {
        var details = response.fields.values(for: "WWW-Authenticate").map { "WWW-Authenticate: \($0)" }
        if let nonce = response.fields["DPoP-Nonce"] { details.append("DPoP-Nonce: \(nonce)") }
        guard let object = (try? JSONValue(parsing: response.body))?.objectValue else { return details }
        for member in object.members where !skipped.contains(member.name) {
            let value = member.value.stringValue ?? String(decoding: member.value.encoded(), as: UTF8.self)
            details.append("\(member.name) = \(shown(value, of: member.name))")
        }
        return details
    }

    /// A password in no part, other secrets shortened.
    private static func shown(_ value: String, of name: String) -> String {
        if typedNames.contains(name) { return "(not shown)" }
        return secretNames.contains(name) ? shortened(value) : value
    }

    static func shortened(_ secret: String) -> String {
        secret.count > 24 ? "\(secret.prefix(16))… (\(secret.utf8.count) characters)" : secret
    }

    private static func description(ofProof proof: String) -> String {
        guard let jws = try? CompactJWS(parsing: proof), let claims = try? jws.payloadObject() else { return "?" }
        let shown = claims.members.filter { $0.name != "iat" }.map { member in
            let value = member.value.stringValue ?? String(decoding: member.value.encoded(), as: UTF8.self)
            return "\(member.name) \(member.name == "htu" || value.count <= 12 ? value : "\(value.prefix(8))…")"
        }
        return shown.joined(separator: ", ") + ", by key \(keyName(jws))"
    }

    /// The beginning of the thumbprint of the key in a proof.
    private static func keyName(_ jws: CompactJWS) -> String {
        let key = jws.header["jwk"]?.objectValue.flatMap { try? JWK(parsing: $0) }
        return key.map { "\($0.thumbprint.description.prefix(8))…" } ?? "?"
    }

    private static let names = [
        200: "OK", 201: "Created", 303: "See Other", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden",
    ]
    private static let typedNames: Set<String> = [FirstPartyParameter.password]
    private static let secretNames: Set<String> = [
        "access_token", "refresh_token", "id_token", "token", "code", "code_verifier", "state", "request_uri",
        FirstPartyParameter.authSession, FirstPartyParameter.authorizationCode,
    ]
    private static let skipped: Set<String> = [
        "jwks_uri", "revocation_endpoint", "scopes_supported", "response_types_supported", "response_modes_supported",
        "grant_types_supported", "token_endpoint_auth_methods_supported", "revocation_endpoint_auth_methods_supported",
        "id_token_signing_alg_values_supported", "acr_values_supported", "subject_types_supported", "claims_supported",
        "prompt_values_supported", "claims_parameter_supported", "request_parameter_supported",
        "request_uri_parameter_supported",
    ]
}
