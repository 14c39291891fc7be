// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import TestSupport
import Testing

/// What tests of attacks on attested clients have in common.
protocol AttestationAttacks {}

extension AttestationAttacks {
    static var invalid: String { "invalid_client_attestation" }

    /// Requests with a fault are rejected and use nothing up: the same request without a fault succeeds at the end.
    func attack(
        _ endpoint: AttestedEndpoint,
        _ server: ServerUnderTest,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ faults: (AttestedApp, FormParameters) async throws -> Void
    ) async throws {
        let app = try AttestedApp(server)
        let parameters = try await endpoint.parameters(app)
        try await faults(app, parameters)
        let response = try await app.client().post(endpoint.path, parameters)
        #expect(response.status == endpoint.success, "\(response.text)", sourceLocation: sourceLocation)
    }

    /// Sends an attestation in place of the app's own, and expects an error.
    func expect(
        _ attestation: String,
        at endpoint: AttestedEndpoint,
        _ app: AttestedApp,
        _ parameters: FormParameters,
        isError error: String = Self.invalid,
        key: SoftwareSigningKey? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let client = app.client(sending: [AttestedApp.field: attestation], key: key)
        let response = try await client.post(endpoint.path, parameters)
        AuthorizationServerTests.expect(response, isError: error, sourceLocation: sourceLocation)
    }
}
