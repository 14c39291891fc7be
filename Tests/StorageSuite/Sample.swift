// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
package import DPoP
package import JOSE
package import OAuthCore
package import OAuthSystem
package import PKCE
package import ServerStorage
import SigningKeys
package import StrictJSON
import TestSupport
import Testing

/// Records that are the same in every run; a label distinguishes them.
package enum Sample {
    /// The time of the tests.
    package static let now = Timestamp(millisecondsSince1970: 1_790_000_000_123)
    /// The client of all samples.
    package static let clientID = "app"

    package static func hash(_ label: String) -> SecretHash {
        SecretHash(of: label)
    }

    /// An identifier of a grant, which differs for each label.
    package static func grantID(_ label: String) -> String {
        Base64URL.encode(Array(hash("grant \(label)").bytes.prefix(16)))
    }

    /// The code of the grant with the same label.
    package static func codeSecret(_ label: String) throws -> GrantSecret {
        try secret(.code, "code \(label)", of: label)
    }

    /// The device code of the grant with the same label.
    package static func deviceSecret(_ label: String) throws -> GrantSecret {
        try secret(.deviceCode, "device \(label)", of: label)
    }

    /// An opaque access token under a grant.
    package static func accessTokenSecret(_ label: String, grant: String) throws -> GrantSecret {
        try secret(.accessToken, "access token \(label)", of: grant)
    }

    /// A refresh token; its label begins with that of its grant, unless another one is given.
    package static func tokenSecret(_ label: String, grant: String? = nil) throws -> GrantSecret {
        let grant = grant ?? label.split(separator: " ").first.map(String.init) ?? label
        return try secret(.refreshToken, "token \(label)", of: grant)
    }

    /// A token that names a grant, made by somebody who knows no token of its family.
    package static func tokenOfAnotherFamily(_ grant: String) throws -> GrantSecret {
        let family = Array(hash("forged").bytes.prefix(16))
        let text = GrantSecret.make(.refreshToken, for: grantID(grant), of: family, at: now, LabelEntropy(label: "x"))
        return try #require(text.flatMap { GrantSecret($0, as: .refreshToken) })
    }

    /// A secret that differs for each label and grant; all refresh tokens of a grant are of one family.
    private static func secret(_ kind: GrantSecret.Kind, _ label: String, of grant: String) throws -> GrantSecret {
        let family = Array(hash("family \(grant)").bytes.prefix(16))
        let entropy = LabelEntropy(label: label)
        let text = GrantSecret.make(kind, for: grantID(grant), of: family, at: now, entropy)
        return try #require(text.flatMap { GrantSecret($0, as: kind) })
    }

    /// Random bytes that depend on a label alone.
    private struct LabelEntropy: Entropy {
        let label: String

        func bytes(_ count: Int) -> [UInt8] {
            Array(hash(label).bytes.prefix(count))
        }
    }

    package static func client(_ clientID: String = clientID) throws -> RegisteredClient {
        var client = RegisteredClient(
            clientID: clientID,
            name: "Ein Gerät \u{1F511}",
            redirectURIs: ["com.example.app:/callback", "http://127.0.0.1/cb"],
            scope: try Scope(parsing: "openid api:read"),
            dpopBoundAccessTokens: false,
            requirePushedAuthorizationRequests: true,
            idTokenSignedResponseAlgorithm: .es256,
            postLogoutRedirectURIs: ["com.example.app:/bye"],
            tokenEndpointAuthMethod: .privateKeyJWT,
            tokenEndpointAuthSigningAlgorithm: .es256,
            secretHashes: [hash("secret"), hash("secret before")],
            jwks: try keySet(),
            grantTypes: [.clientCredentials, .deviceCode],
            introspectionAudiences: ["https://api.example.com/\u{1F511}"],
            tokenExchangeRights: [.impersonationWithoutNamingTheActor],
            createdAt: now
        )
        client.authorizationDetailTypes = ["payment \u{1F511}"]
        client.requestObjectSigningAlgorithm = .ps256
        client.requireSignedRequestObject = true
        client.dpopBoundAuthorizationCodes = true
        client.noncePolicy = .onSkew
        client.origin = .registeredItself
        client.applicationType = .native
        client.allowedWebOrigins = ["https://\(clientID).example", "http://127.0.0.1:8000"]
        client.isFirstParty = true
        client.jwksURI = "https://\(clientID).example/keys.json"
        client.registrationID = "registration-of-\(clientID)"
        return client
    }

    /// The public key of RFC 7515 appendix A.3, with a name.
    private static func keySet() throws -> JWKSet {
        JWKSet([
            try JWK(parsing: [
                "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
                "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0", "kid": "\u{1F511}", "use": "sig",
            ])
        ])
    }

    package static func user(_ username: String, subject: String) -> UserAccount {
        UserAccount(
            subject: subject,
            username: username,
            passwordHash: PasswordHash(stored: "$scrypt$ln=14,r=8,p=5$c2FsdA$aGFzaA"),
            createdAt: now
        )
    }

    /// Claims of every kind of value; their text holds what a driver could change.
    package static let claims: JSONObject = [
        "email": "ada@example.com", "email_verified": true, "level": 7, "groups": ["admins", "e\u{301}", "'\";--"],
        "address": ["locality": "London", "lines": ["12 St James's Square"]],
    ]

    /// A session that expires after an hour.
    package static func session(_ label: String, expiresAt: Timestamp = now + .seconds(3600)) -> BrowserSession {
        BrowserSession(
            idHash: hash(label),
            subject: "subject of \(label)",
            authenticatedAt: now - .seconds(5),
            authentication: AuthenticationContext(reference: "urn:example:\(label)", methods: ["pwd", "otp"]),
            requestHash: hash("request of \(label)"),
            expiresAt: expiresAt
        )
    }

    /// The same, of a given user.
    package static func session(_ label: String, of subject: String) -> BrowserSession {
        var session = session(label)
        session.subject = subject
        return session
    }

    /// A challenge that differs for each label.
    package static func challenge(_ label: String) throws -> CodeChallenge {
        try CodeChallenge(parsing: Base64URL.encode(hash(label).bytes), method: "S256")
    }

    /// A key that differs for each label.
    package static func thumbprint(_ label: String) throws -> JWKThumbprint {
        try JWKThumbprint(Base64URL.encode(hash(label).bytes))
    }

    /// A request that expires after ten minutes.
    package static func request(
        _ label: String,
        state: String? = "st&=+ \u{1F511}",
        thumbprint: JWKThumbprint? = nil,
        expiresAt: Timestamp = now + .seconds(600)
    ) throws -> StoredAuthorizationRequest {
        var request = StoredAuthorizationRequest(
            referenceHash: hash("request \(label)"),
            request: AuthorizationRequest(
                clientID: clientID,
                redirectURI: "com.example.app:/callback",
                scope: try Scope(parsing: "openid"),
                state: state,
                codeChallenge: try challenge(label),
                dpopThumbprint: thumbprint,
                authentication: authentication,
                responseMode: .formPost
            ),
            expiresAt: expiresAt
        )
        request.request.resources = ["https://api.example.com/\u{1F511}"]
        request.request.authorizationDetails = [try detail(label)]
        return request
    }

    /// Authentication requirements with every member.
    private static var authentication: AuthorizationRequest.Authentication {
        var authentication = AuthorizationRequest.Authentication()
        authentication.nonce = "n&=+ \u{1F511}"
        authentication.maxAge = .zero
        authentication.prompts = [.login, .selectAccount]
        authentication.contexts = ["urn:example:a", "urn:example:b"]
        authentication.loginHint = "ada"
        authentication.subject = "s-1"
        return authentication
    }

    /// A code that expires after a minute, under the grant with the same label.
    package static func code(
        _ label: String,
        clientID: String = clientID,
        challenge: String? = nil,
        thumbprint: JWKThumbprint? = nil,
        expiresAt: Timestamp = now + .seconds(60)
    ) throws -> StoredCode {
        StoredCode(
            codeHash: try codeSecret(label).hash,
            grantID: grantID("\(label)"),
            clientID: clientID,
            redirectURI: "com.example.app:/callback",
            codeChallenge: try self.challenge(challenge ?? label),
            dpopThumbprint: thumbprint,
            nonce: "nonce of \(label) \u{1F511}",
            expiresAt: expiresAt
        )
    }

    /// Codes and grants that conflict with those of `a`: the same code, the same grant, a code of another grant.
    package static func conflictsWithA() throws -> [(code: StoredCode, grant: Grant)] {
        var sameCode = try code("b")
        sameCode.codeHash = try codeSecret("a").hash
        var sameGrant = try code("b")
        sameGrant.grantID = grantID("a")
        return [(sameCode, try grant("b")), (sameGrant, try grant("a")), (sameGrant, try grant("b"))]
    }

    package static func grant(_ label: String, clientID: String = clientID) throws -> Grant {
        var grant = Grant(
            id: grantID("\(label)"),
            clientID: clientID,
            subject: "subject",
            scope: try Scope(parsing: "openid api:read"),
            authenticatedAt: now - .seconds(5),
            authentication: AuthenticationContext(reference: nil, methods: ["hwk"]),
            createdAt: now
        )
        grant.resources = ["https://api.example.com/\u{1F511}", "urn:example:\(label)"]
        grant.authorizationDetails = [try detail(label)]
        return grant
    }

    /// A detail with members of every kind.
    package static func detail(_ label: String) throws -> AuthorizationDetail {
        try AuthorizationDetail(parsing: [
            "type": "payment", "actions": ["a", "b"],
            "amount": ["value": ["x", 7, true], "note": .string(label + " \u{1F511}")],
        ])
    }

    /// An opaque access token that expires after five minutes.
    package static func accessToken(
        _ label: String,
        grant: String,
        expiresAt: Timestamp = now + .seconds(300)
    ) throws -> StoredAccessToken {
        StoredAccessToken(
            tokenHash: try accessTokenSecret(label, grant: grant).hash,
            grantID: grantID("\(grant)"),
            claims: ["sub": "subject", "aud": ["a", "b"], "exp": 1, "cnf": ["jkt": .string(label + " \u{1F511}")]],
            expiresAt: expiresAt
        )
    }

    /// A refresh token that expires after thirty days.
    package static func token(
        _ label: String,
        grant: String,
        thumbprint: JWKThumbprint? = nil,
        expiresAt: Timestamp = now + .seconds(30 * 86_400)
    ) throws -> StoredRefreshToken {
        let secret = try tokenSecret(label, grant: grant)
        return StoredRefreshToken(
            tokenHash: secret.hash,
            familyHash: try #require(secret.familyHash),
            grantID: grantID("\(grant)"),
            clientID: clientID,
            scope: try Scope(parsing: "api:read"),
            dpopThumbprint: thumbprint,
            expiresAt: expiresAt
        )
    }

    /// A key whose tokens live for five minutes.
    package static func signingKey(
        _ keyID: String,
        algorithm: SignatureAlgorithm = .es256,
        activeFrom: Timestamp = now
    ) throws -> StoredSigningKey {
        StoredSigningKey(
            keyID: keyID,
            algorithm: algorithm,
            publicKey: try TestKey.p256().publicKey.named(keyID, algorithm: algorithm),
            wrappedKey: WrappedKey(hash(keyID).bytes),
            publishedAt: now - .seconds(10),
            activeFrom: activeFrom,
            tokenLifetime: .seconds(300)
        )
    }

    /// A device authorization that expires after ten minutes.
    package static func device(
        _ label: String,
        userCode: String? = nil,
        thumbprint: JWKThumbprint? = nil,
        expiresAt: Timestamp = now + .seconds(600)
    ) throws -> StoredDeviceAuthorization {
        var device = StoredDeviceAuthorization(
            deviceCodeHash: try deviceSecret(label).hash,
            userCodeHash: hash("user code \(userCode ?? label)"),
            grantID: grantID(label),
            clientID: clientID,
            scope: try Scope(parsing: "openid api:read"),
            dpopThumbprint: thumbprint,
            interval: .seconds(5),
            expiresAt: expiresAt
        )
        device.resources = ["https://api.example.com/\u{1F511}"]
        return device
    }

    /// A replay memory that differs for each label.
    package static func epoch(_ label: String) -> ReplayEpoch {
        ReplayEpoch(bytes: Array(hash("epoch \(label)").bytes.prefix(ReplayEpoch.size)), since: now)
    }

    /// The replay key of a proof.
    package static func replayKey(_ jti: String, owner: String = "key") throws -> ReplayKey {
        ReplayKey(owner: try thumbprint(owner), jti: jti)
    }

    /// A consent of the user of every grant.
    package static func consent(
        _ scope: String = "openid api:read",
        clientID: String = clientID,
        details: String = "nothing"
    ) throws -> StoredConsent {
        StoredConsent(
            subject: "subject",
            clientID: clientID,
            detailsHash: hash(details),
            scope: try Scope(parsing: scope),
            rememberedAt: now
        )
    }
}
