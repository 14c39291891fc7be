// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthClient
import OAuthSystem

/// `keybound login --device`: the person signs in with a browser of any other machine (RFC 8628).
enum DeviceSignIn {
    static let option = Option.flag(
        "--device",
        "sign in with a browser of another machine, by a code that you type there"
    )

    static func run(_ client: OAuth2Client, scopes: [String], _ console: Console) async throws -> OAuthSession {
        let authorization = try await client.startDeviceAuthorization(scopes: scopes)
        show(authorization, console)
        return try await client.startSession(with: client.completeDeviceAuthorization(authorization))
    }

    /// Shown also with `--quiet`, as nothing goes on without it.
    private static func show(_ authorization: DeviceAuthorization, _ console: Console) {
        let minutes = max(1, (authorization.expiresAt - SystemWallClock().now()).components.seconds / 60)
        StandardStream.error.write(
            """
            Open this URL in a browser of any machine:

              \(SafeText.of(authorization.verificationURI))

            and type this code within \(minutes) minutes:

              \(SafeText.of(authorization.userCode))


            """
        )
        if let complete = authorization.verificationURIComplete {
            console.note("or open \(SafeText.of(complete)) and compare the code")
        }
    }
}
#endif
