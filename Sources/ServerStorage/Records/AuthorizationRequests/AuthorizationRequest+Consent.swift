// SPDX-License-Identifier: Apache-2.0

package import OAuthSystem
import StrictJSON

extension AuthorizationRequest {
    /// Parameters that are not part of a consent: how the response is sent, and how the user authenticates.
    private static let aboutTheExchange: Set<String> = [
        "client_id", "redirect_uri", "state", "code_challenge", "code_challenge_method", "dpop_jkt", "response_mode",
        "nonce", "max_age", "prompt", "login_hint", "sub", "acr_values",
    ]

    /// The hash of everything else that the user consents to, besides the scope.
    ///
    /// A parameter that is not listed above counts, so a parameter added later requires consent by default.
    package var detailsHash: SecretHash {
        let details = json.members
            .filter { $0.name != "scope" && !Self.aboutTheExchange.contains($0.name) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        var object = JSONObject()
        for member in details { object[member.name] = member.value }
        return SecretHash(of: String(decoding: JSONValue.object(object).encoded(), as: UTF8.self))
    }

    /// The consent of a user that covers this request, as stored.
    ///
    /// - Parameters:
    ///   - subject: The user.
    ///   - now: The time.
    /// - Returns: The consent.
    package func consent(of subject: String, at now: Timestamp) -> StoredConsent {
        StoredConsent(
            subject: subject,
            clientID: clientID,
            detailsHash: detailsHash,
            scope: scope,
            rememberedAt: now
        )
    }
}
