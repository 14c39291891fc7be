// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 8628: sign-in with another device, over real sockets")
struct DeviceAuthorizationTests {
    private static func refusals(_ codes: String...) -> [HTTPResponse] { codes.map { .error(400, $0) } }

    private func seconds(_ fixture: GrantFixture) -> [Int64] { fixture.sleeper.sleeps.map(\.components.seconds) }

    @Test func `what the user needs is there, and the rest has its defaults`() async throws {
        let fixture = try GrantFixture(.none)
        let authorization = try await fixture.client.startDeviceAuthorization(scopes: ["a"])
        #expect(authorization.userCode == "WDJB-MJHT")
        #expect(authorization.verificationURI == "https://auth.example/device")
        #expect(authorization.verificationURIComplete == nil)
        #expect(authorization.expiresAt == Timestamp(secondsSince1970: 1_790_000_600))
        #expect(authorization.interval == .seconds(5))
        _ = try await fixture.client.completeDeviceAuthorization(authorization, sleepingOn: fixture.sleeper)
        #expect(try fixture.server.received(at: "/token").first?.value("device_code") == "dev+ice/code")
        #expect(seconds(fixture) == [5])
    }

    @Test func `trap 57: the server is asked at its interval while the user is busy`() async throws {
        let fixture = try GrantFixture(.none)
        fixture.server.change {
            $0.deviceMembers = ["interval": 7]
            $0.instead["/token"] = Self.refusals("authorization_pending", "authorization_pending")
        }
        _ = try await BrowserlessGrant.device.run(fixture)
        #expect(seconds(fixture) == [7, 7, 7])
    }

    @Test func `trap 57: slow_down adds 5 seconds for good, each time`() async throws {
        let fixture = try GrantFixture(.none)
        fixture.server.change {
            $0.instead["/token"] = Self.refusals(
                "slow_down",
                "authorization_pending",
                "slow_down",
                "authorization_pending"
            )
        }
        _ = try await BrowserlessGrant.device.run(fixture)
        #expect(seconds(fixture) == [5, 10, 10, 15, 15])
    }

    @Test func `trap 57: a request repeated with a nonce is the same question`() async throws {
        let fixture = try GrantFixture(.none)
        fixture.server.change {
            $0.nonce = "n1"
            $0.instead["/token"] = Self.refusals("authorization_pending")
        }
        _ = try await BrowserlessGrant.device.run(fixture)
        #expect(seconds(fixture) == [5, 5])
        #expect(fixture.server.proofs.map(\.nonce) == [nil, "n1", "n1"])
    }

    @Test func `trap 57: a server that is not there is asked more and more seldom, until the codes expire`()
        async throws
    {
        let fixture = try GrantFixture(.none)
        fixture.server.change { $0.deviceMembers = ["expires_in": 200] }
        let authorization = try await fixture.client.startDeviceAuthorization(scopes: [])
        await fixture.server.stop()
        let error = await clientError {
            _ = try await fixture.client.completeDeviceAuthorization(authorization, sleepingOn: fixture.sleeper)
        }
        #expect(error?.code == .timedOut)
        #expect(seconds(fixture) == [5, 10, 20, 40, 80])
    }

    @Test func `trap 57: after an answer the interval is the old one, and Retry-After is kept`() async throws {
        let fixture = try GrantFixture(.none)
        fixture.server.change {
            $0.instead["/token"] = [
                HTTPResponse(status: 503), HTTPResponse(status: 503, fields: ["Retry-After": "60"]),
                .error(400, "authorization_pending"),
            ]
        }
        _ = try await BrowserlessGrant.device.run(fixture)
        #expect(seconds(fixture) == [5, 10, 60, 5])
    }

    @Test func `trap 57: nothing is asked after expires_in`() async throws {
        let fixture = try GrantFixture(.none)
        fixture.server.change {
            $0.deviceMembers = ["expires_in": "12"]
            $0.instead["/token"] = Self.refusals("authorization_pending", "authorization_pending")
        }
        #expect(await BrowserlessGrant.device.error(fixture)?.code == .timedOut)
        #expect(fixture.server.received(at: "/token").count == 2)
    }

    @Test func `trap 46: a wall clock that jumps while the user is busy changes nothing`() async throws {
        let fixture = try GrantFixture(.none)
        let authorization = try await fixture.client.startDeviceAuthorization(scopes: [])
        fixture.server.change { $0.instead["/token"] = Self.refusals("authorization_pending") }
        async let tokens = fixture.client.completeDeviceAuthorization(
            authorization,
            sleepingOn: JumpingSleeper(clock: fixture.clock)
        )
        #expect(try await tokens.accessToken.value == "granted")
    }

    /// Sets the wall clock far ahead at each sleep.
    private struct JumpingSleeper: Clock {
        let clock: FixedClock
        let base = SleepingClock()
        var now: SleepingClock.Instant { base.now }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: SleepingClock.Instant, tolerance: Duration?) async throws {
            clock.advance(by: .seconds(100_000))
            try await base.sleep(until: deadline, tolerance: tolerance)
        }
    }

    @Test(arguments: [
        ("access_denied", OAuthClientError.Code.authorizationRejected), ("expired_token", .timedOut),
        ("invalid_grant", .serverRejected), ("unauthorized_client", .serverRejected),
    ])
    func `an error that is final ends the waiting`(_ error: String, _ code: OAuthClientError.Code) async throws {
        let fixture = try GrantFixture(.none)
        fixture.server.change { $0.instead["/token"] = Self.refusals("authorization_pending", error) }
        let thrown = await BrowserlessGrant.device.error(fixture)
        #expect(thrown?.code == code)
        #expect(thrown?.answer?.error.rawValue == error)
        #expect(fixture.server.received(at: "/token").count == 2)
    }

    @Test func `cancelling ends the waiting`() async throws {
        let fixture = try GrantFixture(.none)
        let authorization = try await fixture.client.startDeviceAuthorization(scopes: [])
        let task = Task {
            await clientError {
                // With the real clock the wait would take 5 seconds.
                _ = try await fixture.client.completeDeviceAuthorization(authorization)
            }
        }
        task.cancel()
        #expect(await task.value?.code == .cancelled)
        #expect(fixture.server.received(at: "/token").isEmpty)
    }

    @Test(
        arguments: [
            ["device_code": .null], ["user_code": ""], ["user_code": "a\u{1B}[2J"], ["verification_uri": 5],
            ["verification_uri": "device"], ["expires_in": .null], ["expires_in": "soon"], ["interval": "often"],
            ["verification_uri_complete": true],
        ] as [JSONObject]
    )
    func `an answer that is not of the form is malformed`(_ members: JSONObject) async throws {
        let fixture = try GrantFixture(.none)
        fixture.server.change { $0.deviceMembers = members }
        let error = await clientError { _ = try await fixture.client.startDeviceAuthorization(scopes: []) }
        #expect(error?.code == .malformedResponse)
    }

    @Test(arguments: ["verification_uri", "verification_uri_complete"])
    func `the user is not sent to a page that others can replace`(_ name: String) async throws {
        let fixture = try GrantFixture(.none)
        fixture.server.change { $0.deviceMembers[name] = "http://auth.example/device" }
        let error = await clientError { _ = try await fixture.client.startDeviceAuthorization(scopes: []) }
        #expect(error?.code == .insecureURL)
    }

    @Test func `a server that binds device codes gets a proof when it asks for one`() async throws {
        let fixture = try GrantFixture(.none)
        fixture.server.change { $0.instead["/device"] = [.error(400, "invalid_dpop_proof")] }
        let authorization = try await fixture.client.startDeviceAuthorization(scopes: ["a"])
        #expect(authorization.userCode == "WDJB-MJHT")
        let requests = fixture.server.received(at: "/device")
        #expect(requests.map { $0.request.fields["DPoP"] != nil } == [false, true])
        #expect(requests.first?.form == requests.last?.form)
    }

    @Test func `a server that always refuses the proof is asked twice`() async throws {
        let fixture = try GrantFixture(.none)
        fixture.server.change {
            $0.instead["/device"] = Array(repeating: .error(400, "invalid_dpop_proof"), count: 5)
        }
        let error = await clientError { _ = try await fixture.client.startDeviceAuthorization(scopes: ["a"]) }
        #expect(error?.answer?.error == .invalidDPoPProof)
        #expect(fixture.server.received(at: "/device").count == 2)
    }

    @Test func `an interval of nothing is a second`() async throws {
        let fixture = try GrantFixture(.none)
        fixture.server.change { $0.deviceMembers = ["interval": 0] }
        #expect(try await fixture.client.startDeviceAuthorization(scopes: []).interval == .seconds(1))
    }

    @Test func `a server without the endpoint, and one that refuses, are told apart`() async throws {
        let fixture = try GrantFixture(.none)
        fixture.server.change {
            $0.instead["/device"] = [
                .error(400, "unauthorized_client"), HTTPResponse(status: 503), HTTPResponse(status: 503),
            ]
        }
        for code in [OAuthClientError.Code.serverRejected, .serverUnavailable] {
            let error = await clientError { _ = try await fixture.client.startDeviceAuthorization(scopes: []) }
            #expect(error?.code == code)
        }
        let other = try GrantFixture(.none)
        other.server.change { $0.metadata = ["device_authorization_endpoint": .null] }
        let error = await clientError { _ = try await other.client.startDeviceAuthorization(scopes: []) }
        #expect(error?.code == .unsupportedByServer)
    }

    @Test func `trap 66: the codes are not printed`() async throws {
        let fixture = try GrantFixture(.none)
        let authorization = try await fixture.client.startDeviceAuthorization(scopes: [])
        var dumped = ""
        dump(authorization, to: &dumped)
        let printed = "\(authorization) \(String(reflecting: authorization)) \(dumped)"
        #expect(!printed.contains("dev+ice"))
        #expect(!printed.contains("WDJB"))
    }
}
#endif
