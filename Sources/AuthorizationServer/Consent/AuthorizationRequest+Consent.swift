// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import ServerStorage
import StrictJSON

extension AuthorizationRequest {
    /// What a person does not agree to by agreeing: how the answer is carried, and who signs in how.
    private static let aboutTheExchange: Set<String> = [
        "client_id", "redirect_uri", "state", "code_challenge", "code_challenge_method", "dpop_jkt", "response_mode",
        "nonce", "max_age", "prompt", "login_hint", "sub", "acr_values",
    ]

    /// The hash of everything that the person is asked for beside the scope.
    ///
    /// A parameter that is not named above counts, so one that is added later is asked for until somebody says otherwise.
    var detailsHash: SecretHash {
        let details = json.members
            .filter { $0.name != "scope" && !Self.aboutTheExchange.contains($0.name) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        var object = JSONObject()
        for member in details { object[member.name] = member.value }
        return SecretHash(of: String(decoding: JSONValue.object(object).encoded(), as: UTF8.self))
    }

    /// The consent of a person that covers this request, as it is stored.
    func consent(of subject: String, at now: Timestamp) -> StoredConsent {
        StoredConsent(
            subject: subject,
            clientID: clientID,
            detailsHash: detailsHash,
            scope: scope,
            rememberedAt: now
        )
    }
}
