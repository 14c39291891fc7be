// SPDX-License-Identifier: Apache-2.0

/// The page that asks a signed-in user to allow or deny a client's request.
///
/// The form posts `decision` as `allow`, `deny` or `switch`. No choice is preselected, and both buttons have the same
/// size. With `allow`, the form also posts `remember`, as `yes`, if the user ticks it. The page shows where the
/// response is sent, since any client can use any name (RFC 9700 section 4.11).
struct ConsentPage {
    /// The server's name, as configured.
    let serverName: String
    /// The name of the client, as registered.
    ///
    /// Untrusted.
    let clientName: String
    /// The host of the redirect URI, or its private-use scheme with the colon.
    let redirectHost: String
    /// The name of the signed-in user.
    let userName: String
    /// The requested scope, in the order of the request.
    let scopes: [ScopeText]
    /// The requested authorization details, in the order of the request.
    ///
    /// Untrusted.
    var details: [DetailText] = []
    /// The requested APIs (RFC 8707), in the order of the request; empty if the client names none.
    var resources: [String] = []
    /// Whether the client registered itself.
    var hasRegisteredItself = false
    /// The host of the client's metadata document; `nil` if it has none.
    var documentHost: String?
    /// The path that the form is posted to.
    let action: String
    /// The value of the hidden field `request`.
    let requestReference: String
    /// The value of the hidden field `csrf_token`.
    let csrfToken: String
    /// The value of the hidden field `shown`.
    let shown: String
    /// Whether the page offers to remember the consent.
    var canBeRemembered = false
    /// Whether the decision goes to a waiting device, without a redirect.
    var isForDevice = false

    /// The whole document.
    func html() -> String {
        PageFrame(
            serverName: serverName,
            title: "Allow access?",
            main: main,
            footer: "If you did not start this yourself, choose Deny."
        ).html()
    }

    private var client: DisplayName { DisplayName(clientName, limit: 48, orElse: "an app without a name") }
    private var user: DisplayName { DisplayName(userName, orElse: "unknown") }

    private var main: HTMLText {
        """
        <h1>Allow \(client) to use your account?</h1>
        <form method="post" action="\(action)">
        <input type="hidden" name="request" value="\(requestReference)">
        <input type="hidden" name="csrf_token" value="\(csrfToken)">
        <input type="hidden" name="shown" value="\(shown)">
        <div class="account">
        <span class="badge" aria-hidden="true">\(user.initial ?? "\u{2022}")</span>
        <p><small>Signed in as</small>\(user)</p>
        <button type="submit" form="switch" name="decision" value="switch">Not you? Sign in as someone else</button>
        </div>
        \(warning)\(request)
        \(places)<p class="next">\(next)</p>
        \(remember)<div class="choice">
        <button type="submit" name="decision" value="deny">Deny</button>
        <button class="main" type="submit" name="decision" value="allow">Allow</button>
        </div>
        </form>
        \(switchForm)
        \(SubmitGuard.html)
        """
    }

    /// The form of "Not you?".
    ///
    /// Enter in a field or a checkbox presses the first button of its form (HTML section 4.10.21.2, implicit submission),
    /// which must be Deny.
    private var switchForm: HTMLText {
        """
        <form id="switch" method="post" action="\(action)">
        <input type="hidden" name="request" value="\(requestReference)">
        <input type="hidden" name="csrf_token" value="\(csrfToken)">
        </form>
        """
    }

    /// What a user must know about an app whose publisher was not checked (RFC 7591 section 5).
    private var warning: HTMLText? {
        let server = DisplayName(serverName, orElse: "this server")
        if let documentHost { return documentWarning(documentHost, server) }
        guard hasRegisteredItself else { return nil }
        return """
            <div class="problem"><p>\(client) registered itself here. Nobody at \(server) has checked who is behind it.</p></div>

            """
    }

    /// The host is the only thing about the app that it cannot make up
    /// (draft-ietf-oauth-client-id-metadata-document-02 section 8.5).
    ///
    /// The code goes to whichever app listens on the device, no matter who published the document.
    private func documentWarning(_ host: String, _ server: DisplayName) -> HTMLText {
        let destination = RedirectDestination(host: redirectHost)
        let device: HTMLText =
            destination.isOnDevice
            ? " Any app on this device can claim to be this one: allow it only if you just started it." : ""
        return """
            <div class="problem"><p>This app comes from <strong>\(RedirectDestination(host: host).name)</strong>, which chose its
            name. Nobody at \(server) has checked it.\(device)</p></div>

            """
    }

    private var next: HTMLText {
        isForDevice
            ? "This is for the device that shows the code you typed. Deny if it is not in front of you."
            : "After that you go to \(RedirectDestination(host: redirectHost).phrase)."
    }

    /// The checkbox, not ticked: an app may do without the user only what the user asked for.
    private var remember: HTMLText? {
        guard canBeRemembered else { return nil }
        return """
            <div class="tick"><input id="remember" name="remember" type="checkbox" value="yes">
            <label for="remember">Do not ask me again for this</label></div>

            """
    }

    /// The APIs that the tokens are limited to, so that a user who knows them can check.
    private var places: HTMLText? {
        guard !resources.isEmpty else { return nil }
        let items: [HTMLText] = resources.map { resource in
            "<li><code>\(DisplayName(resource, limit: 160, orElse: "?"))</code></li>"
        }
        return """
            <h2 id="places">Only there</h2>
            <ul aria-labelledby="places" role="list">
            \(HTMLText(lines: items))
            </ul>

            """
    }

    private var request: HTMLText {
        guard !scopes.isEmpty || !details.isEmpty else { return "<h2>It asks for no particular permission</h2>" }
        return """
            <h2 id="scopes">It would be able to</h2>
            <ul aria-labelledby="scopes" role="list">
            \(HTMLText(lines: scopes.map(\.listItem) + details.map(\.listItem)))
            </ul>
            """
    }
}
