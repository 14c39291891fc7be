// SPDX-License-Identifier: Apache-2.0

@testable import AuthorizationServer

/// Pages with every text set to something, so that a test can set one to what it is about.
enum SamplePages {
    static func login(
        client: String = "Acme Notes",
        username: String? = nil,
        problem: LoginPage.Problem? = nil,
        server: String = "Northwind ID",
        handle: String = "request-1",
        token: String = "token-1"
    ) -> LoginPage {
        LoginPage(
            serverName: server,
            clientName: client,
            action: "/login",
            requestReference: handle,
            csrfToken: token,
            username: username,
            problem: problem
        )
    }

    static func consent(
        client: String = "Acme Notes",
        host: String = "notes.acme.example",
        user: String = "alice",
        scopes: [ScopeText] = [ScopeText(name: "openid"), ScopeText(name: "api:read")],
        server: String = "Northwind ID",
        handle: String = "request-1",
        resources: [String] = [],
        canBeRemembered: Bool = false,
        isForDevice: Bool = false
    ) -> ConsentPage {
        ConsentPage(
            serverName: server,
            clientName: client,
            redirectHost: host,
            userName: user,
            scopes: scopes,
            resources: resources,
            action: "/consent",
            requestReference: handle,
            csrfToken: "token-1",
            shown: "api:read abc",
            canBeRemembered: canBeRemembered,
            isForDevice: isForDevice
        )
    }

    static func formPost(
        client: String? = "Acme Notes",
        server: String = "Northwind ID",
        action: String = "https://notes.acme.example/callback",
        state: String = "state-1"
    ) -> FormPostPage {
        FormPostPage(serverName: server, clientName: client, action: action, fields: [("code", "c"), ("state", state)])
    }

    static func signOut(
        client: String? = "Acme Notes",
        user: String = "alice",
        server: String = "Northwind ID",
        state: String = "state-1"
    ) -> SignOutPage {
        SignOutPage(
            serverName: server,
            clientName: client,
            userName: user,
            action: "/logout/confirm",
            fields: [("request", "logout"), ("csrf_token", "token-1"), ("state", state)]
        )
    }

    static func deviceCode(
        server: String = "Northwind ID",
        given: String? = nil,
        problem: DeviceCodePage.Problem? = nil
    ) -> DeviceCodePage {
        DeviceCodePage(
            serverName: server,
            action: "/device",
            fields: [("request", "device"), ("csrf_token", "token-1")],
            givenCode: given,
            problem: problem
        )
    }

    static func error(_ text: String) -> ErrorPage {
        ErrorPage(serverName: text, title: text, explanation: text, code: text, hint: text, requestID: text)
    }

    /// Every page, in every state, that leads nowhere but to this server.
    static let all: [String] = [
        login().html(),
        login(username: "alice").html(),
        login(username: "alice", problem: .wrongCredentials).html(),
        login(problem: .wrongCredentials).html(),
        login(problem: .missingFields).html(),
        login(username: "alice", problem: .missingFields).html(),
        login(username: "alice", problem: .tooManyAttempts(retryAfter: .seconds(300))).html(),
        login(problem: .serverBusy).html(),
        consent().html(),
        consent(canBeRemembered: true).html(),
        consent(host: "127.0.0.1", scopes: []).html(),
        error("invalid_request").html(),
        signOut().html(),
        signOut(client: nil).html(),
        NoticePage(serverName: "Northwind ID", outcome: .signedOut).html(),
        NoticePage(serverName: "Northwind ID", outcome: .stillSignedIn).html(),
        NoticePage(serverName: "Northwind ID", outcome: .deviceAllowed).html(),
        NoticePage(serverName: "Northwind ID", outcome: .deviceDenied).html(),
        NoticePage(serverName: "Northwind ID", outcome: .home(metadata: "/.well-known/x")).html(),
        NoticePage(serverName: "Northwind ID", outcome: .signInWithoutApp).html(),
        consent(isForDevice: true).html(),
        deviceCode().html(),
        deviceCode(given: "BCDF-GHJK").html(),
        deviceCode(problem: .unknownCode).html(),
        deviceCode(problem: .tooManyAttempts(retryAfter: .seconds(300))).html(),
    ]

    /// Every page with one text in every place that takes one.
    static func everywhere(_ text: String) -> [String] {
        [
            login(client: text, username: text, server: text, handle: text, token: text).html(),
            consent(
                client: text,
                host: text,
                user: text,
                scopes: [ScopeText(name: text), ScopeText(name: text, description: text)],
                server: text,
                handle: text
            ).html(),
            error(text).html(),
            formPost(client: text, server: text, action: text, state: text).html(),
            signOut(client: text, user: text, server: text, state: text).html(),
            NoticePage(serverName: text, outcome: .signedOut).html(),
            NoticePage(
                serverName: text,
                outcome: .signedOut,
                wayBack: .link(text, RedirectDestination(host: text))
            ).html(),
            deviceCode(server: text, given: text).html(),
        ]
    }
}
