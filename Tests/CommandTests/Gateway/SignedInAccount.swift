// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import OAuthClient
import OAuthCore
import OAuthSystem
import SigningKeys
import StrictJSON

@testable import KeyboundCommand

/// An account in the directory of a test, as a sign-in leaves it: with a key of its own and a token that is bound to it.
struct SignedInAccount {
    static let name = "tester"

    let token: String

    /// Writes it, for an API; `change` changes the claims of the token.
    init(
        of issuer: GatewayIssuer,
        for api: String,
        in directory: TemporaryDirectory,
        isBound: Bool = true,
        _ change: (inout JSONObject) -> Void = { _ in }
    ) async throws {
        let root = directory.path + "/state/keybound/accounts"
        let account = ClientAccount(issuer: issuer.address, clientID: "app", name: Self.name)
        let path = root + "/" + account.identifier
        try PrivateDirectory.makeWithParents(at: path)
        let key = try await UnencryptedFileKeyStore(directory: path + "/keys")
            .loadOrGenerate(alias: AccountKey.alias(of: account))
        let thumbprint = key.publicKey.thumbprint
        let token = try await issuer.token(for: api) { claims in
            claims["cnf"] = ["jkt": .string(thumbprint.description)]
            change(&claims)
        }
        self.token = token
        try await FileTokenStore(directory: root).save(
            TokenSet(
                accessToken: AccessToken(token),
                tokenType: .dpop,
                expiresAt: SystemWallClock().now() + .seconds(300),
                refreshToken: nil,
                scope: Scope(["notes:read"]),
                keyThumbprint: thumbprint
            ),
            of: account
        )
        var record = AccountRecord(
            account: account,
            redirectURI: "http://127.0.0.1/callback",
            allowsInsecureLoopback: true,
            keyPlace: .clearFile
        )
        record.resource = api
        record.isBound = isBound
        try PrivateFile.replace(path + "/account.json", with: JSONValue.object(record.json).encoded())
    }
}
#endif
