// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthClient
import OAuthSystem

/// `keybound login --device`: the user signs in with a browser on another machine (RFC 8628).
enum DeviceSignIn {
    static let option = Option.flag(
        "--device",
        "sign in with a browser on another machine, where you enter a code"
    )

    static func run(_ client: OAuth2Client, _ access: SignInAccess, _ console: Console) async throws -> OAuthSession {
        let authorization = try await client.startDeviceAuthorization(
            scopes: access.scopes,
            resources: access.resources
        )
        show(authorization, console)
        return try await client.startSession(with: client.completeDeviceAuthorization(authorization))
    }

    /// Shown with `--quiet` too: the sign-in cannot continue without it.
    private static func show(_ authorization: DeviceAuthorization, _ console: Console) {
        let minutes = max(1, (authorization.expiresAt - SystemWallClock().now()).components.seconds / 60)
        StandardStream.error.write(
            """
            Open this URL in a browser on any machine:

              \(SafeText.of(authorization.verificationURI))

            and enter this code within \(minutes) minutes:

              \(SafeText.of(authorization.userCode))


            """
        )
        if let complete = authorization.verificationURIComplete {
            console.note("or open \(SafeText.of(complete)) and check that it shows the same code")
        }
    }
}
#endif
