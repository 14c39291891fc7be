// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthClient

/// `keybound login --client-credentials`: the client itself signs in, without a user (RFC 6749 section 4.4).
enum ServiceSignIn {
    static let option = ClientCredential.serviceOption

    /// Rejects options that do not go together, and a client that is public (RFC 6749 section 4.4.2).
    static func check(_ arguments: ParsedArguments) throws {
        guard arguments.has(option) else { return }
        let others = [
            BrowserSignIn.redirectURI, BrowserSignIn.responseMode, BrowserSignIn.timeout, BrowserSignIn.showURL,
            BrowserSignIn.printURL, DeviceSignIn.option, DirectSignIn.option, Login.answer, Login.responseFile,
            Login.mcp, Login.attester,
        ]
        for other in others { try arguments.requireAtMostOne(of: [option, other]) }
        guard arguments.has(ClientCredential.secretFile) || arguments.has(ClientCredential.keyFile) else {
            throw CommandFailure.usage(
                "\(option.name) is for a client with a secret or a key of its own, and none is given",
                hint: "add \(ClientCredential.secretFile.name) FILE or \(ClientCredential.keyFile.name) FILE"
            )
        }
    }

    /// Requests tokens even if stored ones are still valid: the secret or key may have changed.
    static func run(_ client: OAuth2Client, _ access: SignInAccess) async throws -> OAuthSession {
        try await client.storedServiceSession(scopes: access.scopes, resources: access.resources, renewingNow: true)
    }
}
#endif
