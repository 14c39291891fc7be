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
            let checked = try await CheckTable.deviceAuthorization.run(received, services)
            var response = HTTPResponse.json(try await respond(checked))
            response.offerNonce(after: checked.stage, services)
            return response
        } catch {
            return .failure(error)
        }
    }

    /// Device authorization response (section 3.2).
    private func respond(
        _ checked: CheckedRequest<ProvenRequest<AccessRequest<ClientRequest>>>
    ) async throws(ProtocolFailure) -> JSONObject {
        let (lifetimes, request) = (services.configuration.lifetimes, checked.stage)
        // The user is not known yet: the grant lies in the shard of the client.
        let grantID = try await services.newGrantID(for: request.client.clientID, at: request.now)
        let deviceCode = try services.tokens.makeDeviceCode(for: grantID, at: request.now)
        let userCode = try await store(deviceCode, for: grantID, checked)
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
        for grantID: String,
        _ checked: CheckedRequest<ProvenRequest<AccessRequest<ClientRequest>>>
    ) async throws(ProtocolFailure) -> UserCode {
        let (lifetimes, request) = (services.configuration.lifetimes, checked.stage)
        for _ in 1...Self.attempts {
            let userCode = UserCode(entropy: services.entropy)
            var device = StoredDeviceAuthorization(
                deviceCodeHash: SecretHash(of: deviceCode),
                userCodeHash: userCode.hash,
                grantID: grantID,
                clientID: request.client.clientID,
                scope: request.base.scope,
                dpopThumbprint: request.proof?.thumbprint,
                interval: lifetimes.devicePollInterval,
                expiresAt: request.now + lifetimes.deviceCode
            )
            device.resources = request.base.resources
            device.authorizationDetails = request.base.details ?? []
            let isStored = try await services.write(checked.recording, for: request) { [device] storage, recording in
                try await storage.add(device, recording: recording, at: request.now)
            }
            if isStored { return userCode }
        }
        services.report("no user code was free: far too many devices wait")
        throw .unavailable
    }
}
