// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage

extension TokenEndpoint {
    /// RFC 6749 section 4.1.3: redeems an authorization code.
    func exchangeCode(_ form: FormRequest) async throws(ProtocolFailure) -> GrantedTokens {
        let checked = try await CheckTable.authorizationCode.run(form, services)
        let (request, granted) = (checked.stage.base, checked.stage.granted)
        guard let presented = request.secret(in: "code", as: .code) else { throw .codeRejected }
        let tokens = try await firstTokens(
            under: request.grant,
            target: granted?.target,
            details: granted?.details,
            nonce: request.code.nonce,
            for: request.token
        )
        let (now, end) = (request.now, tokens?.end ?? request.now)
        let redemption = try await write(
            checked.recording,
            with: tokens?.storedAccessToken,
            for: request.token
        ) { storage, recording in
            try await storage.redeem(presented, issuing: tokens?.stored, until: end, recording: recording, at: now)
        }
        if redemption == .replayed { reportReuse(of: "code", request.code.grantID) }
        guard redemption == .first, let tokens else { throw .codeRejected }
        await services.noteUse(of: request.client, at: now)
        return tokens
    }
}
