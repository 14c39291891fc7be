// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import TestSupport
import Testing

/// A request that an attested client makes, at each endpoint where clients authenticate.
struct AttestedEndpoint: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let path: String
    /// The status of a correct request.
    let success: Int
    /// A request that works once: whatever it needs is prepared.
    let parameters: @Sendable (AttestedApp) async throws -> FormParameters

    static let all = [code, refresh, deviceCode, pushed, device, revocation]

    static let code = AttestedEndpoint(testDescription: "code", path: "/token", success: 200) { app in
        let client = try await app.client()
        let attempt = client.attempt()
        return client.exchange(try await client.code(for: attempt), attempt)
    }
    static let refresh = AttestedEndpoint(testDescription: "refresh", path: "/token", success: 200) { app in
        let client = try await app.client()
        return client.refreshing(try await client.signIn().string("refresh_token"))
    }
    private static let deviceCode = AttestedEndpoint(
        testDescription: "device code",
        path: "/token",
        success: 200
    ) { app in
        let client = try await app.client()
        let codes = try await client.post(device.path, ["client_id": client.clientID, "scope": "api:read"])
        let waiting = FakeDevice(
            client: client,
            deviceCode: try codes.string("device_code"),
            userCode: try codes.string("user_code")
        )
        try await waiting.decide("allow")
        return waiting.question()
    }
    private static let pushed = AttestedEndpoint(testDescription: "PAR", path: "/par", success: 201) { app in
        try await app.client().attempt().parameters
    }
    private static let device = AttestedEndpoint(
        testDescription: "device",
        path: "/device_authorization",
        success: 200
    ) { app in
        ["client_id": app.clientID, "scope": "api:read"]
    }
    private static let revocation = AttestedEndpoint(
        testDescription: "revocation",
        path: "/revoke",
        success: 200
    ) { app in
        ["client_id": app.clientID, "token": try await app.client().signIn().string("refresh_token")]
    }
}
