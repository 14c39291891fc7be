// SPDX-License-Identifier: Apache-2.0

import OAuthClient

/// The app of the demo: the client library and the user agent that shows the pages.
struct DemoApp: Sendable {
    static let redirectURI = "http://127.0.0.1/callback"

    let client: OAuth2Client
    let transport: TranscriptTransport
    let userAgent: SystemBrowser

    init(
        servers: DemoServers,
        clientID: String = DemoServers.clientID,
        authentication: ClientAuthentication = .none,
        key: DemoKey = .memory,
        usesBrowser: Bool,
        transcript: Transcript
    ) throws {
        transport = TranscriptTransport(transcript)
        var configuration = OAuth2ClientConfiguration.allowingInsecureHTTPOnLoopback
        configuration.clientAuthentication = authentication
        client = try OAuth2Client(
            issuer: servers.issuer,
            clientID: clientID,
            redirectURI: Self.redirectURI,
            configuration: configuration,
            keyStore: key.store,
            transport: transport
        )
        if usesBrowser {
            userAgent = SystemBrowser(showURL: { transcript.say("No browser could be opened. Open this URL: \($0)") })
        } else {
            let answers = ["username": DemoServers.username, "password": servers.password]
            userAgent = SystemBrowser(launcher: HeadlessBrowser(answers: answers, transcript: transcript))
        }
    }
}
