// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthCore
import OAuthTransport

/// An attacker with a stolen secret and an own key.
struct Attacker: Sendable {
    let context: DPoPContext
    private let transport = PlatformTransport()
    private let transcript: Transcript

    init(transcript: Transcript) throws {
        context = DPoPContext(key: try SoftwareSigningKey())
        self.transcript = transcript
    }

    /// Posts a form with a proof by the attacker's key; retries once with the server's nonce, as any client would.
    ///
    /// - Parameters:
    ///   - form: The form.
    ///   - address: The endpoint.
    ///   - attestation: The attestation to send, the attacker's own or a stolen one; `nil` for none.
    /// - Returns: The response.
    /// - Throws: What the key or the network throws.
    func post(
        _ form: FormParameters,
        to address: String,
        attestation: String? = nil
    ) async throws -> HTTPResponse {
        let uri = try URI(parsing: address)
        var response = HTTPResponse(status: 0)
        for _ in 0..<2 {
            let proof = try await context.proof(method: "POST", uri: uri, role: .authorizationServer)
            var request = HTTPRequest(
                method: "POST",
                target: address,
                fields: ["Content-Type": FormParameters.mediaType, "DPoP": proof.value],
                body: Array(form.encoded().utf8)
            )
            request.fields[ClientAttestationField.attestation] = attestation
            response = try await transport.send(request, maximumBodySize: 65_536)
            let isNew = context.learn(from: response.fields, for: proof)
            guard isNew, ProtocolResponse(response).error == "use_dpop_nonce" else {
                show(request, response)
                return response
            }
        }
        return response
    }

    /// Sends a request unchanged.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let response = try await transport.send(request, maximumBodySize: 65_536)
        show(request, response)
        return response
    }

    private func show(_ request: HTTPRequest, _ response: HTTPResponse) {
        transcript.sent(
            ExchangeDescription.line(of: request) + "   (attacker)",
            details: ExchangeDescription.details(of: request)
        )
        transcript.received(
            ExchangeDescription.line(of: response),
            isRejection: response.status >= 400,
            details: ExchangeDescription.details(of: response)
        )
    }
}
