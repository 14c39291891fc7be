// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import ServerStorage
import TestSupport
import Testing

/// A device without a browser, and its user, who has one elsewhere.
struct FakeDevice: Sendable {
    let client: FakeClient
    let deviceCode: String
    let userCode: String

    /// A server with a client for devices, and one more.
    static func server(
        isBound: Bool = true,
        bindsCodes: Bool = false,
        audit: (any AuditSink)? = nil,
        storage: (any AuthorizationStorage)? = nil,
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws -> ServerUnderTest {
        var device = try ServerUnderTest.client("tv", name: "Living room", redirectURIs: [], isBound: isBound)
        device.grantTypes = [.deviceCode, .refreshToken]
        device.dpopBoundAuthorizationCodes = bindsCodes
        var second = device
        (second.clientID, second.registrationID) = ("radio", "registration-of-radio")
        return try await ServerUnderTest.inMemory(
            clients: [device, second],
            storage: storage,
            audit: audit,
            entropy: SeededEntropy(seed: storage == nil ? 1 : 9),
            change
        )
    }

    static func client(_ server: ServerUnderTest, _ clientID: String = "tv", key: UInt8 = 2) throws -> FakeClient {
        FakeClient(server, clientID: clientID, key: try TestKey.p256(key))
    }

    /// Requests codes; the request has a proof if the code should be bound to a key.
    static func start(_ server: ServerUnderTest, isBound: Bool = false) async throws -> FakeDevice {
        let client = try client(server)
        let parameters: FormParameters = ["client_id": client.clientID, "scope": "api:read"]
        let response =
            isBound
            ? try await client.post("/device_authorization", parameters)
            : await server.post("/device_authorization", parameters)
        #expect(response.status == 200, "\(response.text)")
        return FakeDevice(
            client: client,
            deviceCode: try response.string("device_code"),
            userCode: try response.string("user_code")
        )
    }

    /// The token request of the device, from any client.
    func question(of client: FakeClient? = nil) -> FormParameters {
        [
            "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": deviceCode,
            "client_id": (client ?? self.client).clientID,
        ]
    }

    func poll() async throws -> HTTPResponse {
        try await client.post("/token", question())
    }

    /// The user enters a code.
    static func type(_ code: String, in browser: FakeBrowser) async throws -> HTTPResponse {
        try await browser.submit(await browser.get("/device"), ["user_code": code])
    }

    /// The consent page, in a browser in which the user is already signed in.
    func consentPage(in browser: FakeBrowser) async throws -> HTTPResponse {
        try await browser.follow(try await Self.type(userCode, in: browser))
    }

    /// The user enters the code and presses a button.
    @discardableResult
    func decide(_ decision: String) async throws -> HTTPResponse {
        let browser = try await client.server.signedInBrowser()
        return try await browser.decide(decision, on: try await consentPage(in: browser))
    }
}
