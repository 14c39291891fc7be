// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage

extension TokenEndpoint {
    /// RFC 6749 section 6: uses a refresh token, and rotates it unless the profile keeps refresh tokens.
    ///
    /// The rule of reuse is in ``/ServerStorage/RefreshTokenState``.
    func refresh(_ form: FormRequest) async throws(ProtocolFailure) -> GrantedTokens {
        let checked = try await CheckTable.refreshToken.run(form, services)
        let (scoped, granted) = (checked.stage.base, checked.stage.granted)
        let request = scoped.base
        // A revoked grant: nothing is recorded.
        guard let grant = request.grant else { throw .refreshTokenRejected }
        let access = try GrantedAccess(
            scoped.scope,
            under: grant,
            to: request.client,
            target: granted?.target,
            details: granted?.details,
            at: request.now,
            services.configuration
        )
        let tokens =
            services.configuration.profile.rotatesRefreshTokens
            ? try await rotate(request, under: grant, access, checked.recording)
            : try await keep(request, under: grant, access, checked.recording)
        await services.noteUse(of: request.client, at: request.now)
        return tokens
    }

    private func rotate(
        _ request: RefreshRequest,
        under grant: Grant,
        _ access: GrantedAccess,
        _ recording: Recording
    ) async throws(ProtocolFailure) -> GrantedTokens {
        let old = request.refreshToken
        let new = try NewRefreshToken(
            old.scope,
            under: grant,
            replacing: request.requiredParameter("refresh_token"),
            for: request.token,
            services
        )
        let tokens = try await GrantedTokens(under: grant, access, refreshing: new, for: request.token, services)
        // Bound to nothing, a thief of the token could use the grace period as well as its owner.
        let isBound = old.dpopThumbprint != nil || request.client.hasOwnCredential
        let grace = isBound ? services.configuration.lifetimes.refreshGrace : .zero
        let (presented, now) = (request.presented, request.now)
        let rotation = try await write(recording, with: tokens.storedAccessToken, for: request.token) {
            storage,
            recording in
            try await storage.rotate(presented, to: new.stored, grace: grace, recording: recording, at: now)
        }
        switch rotation {
        case .rotated, .reissued: return tokens
        case .reused:
            reportReuse(of: "refresh token", old.grantID)
            throw .refreshTokenRejected
        case .unknown: throw .refreshTokenRejected
        }
    }

    /// FAPI 2.0 section 5.3.2.1: the refresh token is not rotated, only its expiry is extended, within the grant.
    ///
    /// The client assertion binds it to the client's key. Rotation would add no security, and a client that loses a
    /// response would lose its token.
    private func keep(
        _ request: RefreshRequest,
        under grant: Grant,
        _ access: GrantedAccess,
        _ recording: Recording
    ) async throws(ProtocolFailure) -> GrantedTokens {
        let tokens = try await GrantedTokens(
            under: grant,
            access,
            keeping: RefreshToken(try request.requiredParameter("refresh_token")),
            for: request.token,
            services
        )
        let (presented, now) = (request.presented, request.now)
        let end = services.configuration.lifetimes.endOfRefreshToken(under: grant, at: now)
        let isKept = try await write(recording, with: tokens.storedAccessToken, for: request.token) {
            storage,
            recording in
            try await storage.prolong(presented, until: end, recording: recording, at: now)
        }
        guard isKept else { throw .refreshTokenRejected }
        return tokens
    }
}
