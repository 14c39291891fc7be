// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import OAuthSystem
import ServerStorage
import StrictJSON

/// The device authorization endpoint: issues the device code and the user code (RFC 8628 section 3.1).
struct DeviceAuthorizationEndpoint: Sendable {
    /// How often to generate a user code until one is free; with a million waiting devices, one in 25000 is taken.
    private static let attempts = 4

    let services: Services

    @Sendable func respond(to http: HTTPRequest) async -> HTTPResponse {
        let received = ReceivedRequest(http, at: services.addresses.deviceAuthorization, now: services.clock.now())
        do throws(ProtocolFailure) {
            let request = try await CheckTable.deviceAuthorization.run(received, services)
            var response = HTTPResponse.json(try await respond(request))
            response.offerNonce(after: request, services)
            return response
        } catch {
            return .failure(error)
        }
    }

    /// Device authorization response (section 3.2).
    private func respond(
        _ request: ProvenRequest<AccessRequest<ClientRequest>>
    ) async throws(ProtocolFailure) -> JSONObject {
        let lifetimes = services.configuration.lifetimes
        let deviceCode = services.tokens.makeDeviceCode()
        let userCode = try await store(deviceCode, request)
        let page = services.addresses.deviceVerification.uri
        return [
            "device_code": .string(deviceCode),
            "user_code": .string(userCode.shown),
            "verification_uri": .string(page.description),
            "verification_uri_complete": .string(page.appendingQuery(["user_code": userCode.shown]).description),
            "expires_in": .number(JSONNumber(lifetimes.deviceCode.components.seconds)),
            "interval": .number(JSONNumber(lifetimes.devicePollInterval.components.seconds)),
        ]
    }

    private func store(
        _ deviceCode: String,
        _ request: ProvenRequest<AccessRequest<ClientRequest>>
    ) async throws(ProtocolFailure) -> UserCode {
        let lifetimes = services.configuration.lifetimes
        for _ in 1...Self.attempts {
            let userCode = UserCode(entropy: services.entropy)
            var device = StoredDeviceAuthorization(
                deviceCodeHash: SecretHash(of: deviceCode),
                userCodeHash: userCode.hash,
                clientID: request.client.clientID,
                scope: request.base.scope,
                dpopThumbprint: request.proof?.thumbprint,
                interval: lifetimes.devicePollInterval,
                expiresAt: request.now + lifetimes.deviceCode
            )
            device.resources = request.base.resources
            device.authorizationDetails = request.base.details ?? []
            if try await services.stored({ [device] in try await $0.add(device) }) { return userCode }
        }
        services.report("no user code was free: far too many devices wait")
        throw .unavailable
    }
}
