// SPDX-License-Identifier: Apache-2.0

/// The page that asks a signed-in user whether a client may have what it asks for.
///
/// The form posts `decision` as `allow`, `deny` or `switch`. Neither answer is chosen beforehand, and both look alike in
/// size. With the first goes `remember`, when it is `yes`. The place the answer is sent to is shown, as a name can be anybody's (RFC 9700 section 4.11).
struct ConsentPage {
    /// The name of the server, as its operator set it.
    let serverName: String
    /// The name of the client, as registered; hostile.
    let clientName: String
    /// The host of the redirect URI, or its scheme with the colon when it is a private-use scheme.
    let redirectHost: String
    /// The name of the user who is signed in.
    let userName: String
    /// What the client asks for, in its order.
    let scopes: [ScopeText]
    /// What it asks for in more words, in its order; hostile.
    var details: [DetailText] = []
    /// The APIs that it names (RFC 8707), in its order; none when it leaves that to the server.
    var resources: [String] = []
    /// The path the form is posted to.
    let action: String
    /// The value of the hidden field `request`.
    let requestReference: String
    /// The value of the hidden field `csrf_token`.
    let csrfToken: String
    /// Whether the person can have their answer remembered.
    var canBeRemembered = false
    /// Whether the answer goes to a device that waits, and the browser nowhere.
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
        <div class="account">
        <span class="badge" aria-hidden="true">\(user.initial ?? "\u{2022}")</span>
        <p><small>Signed in as</small>\(user)</p>
        <button type="submit" name="decision" value="switch">Not you? Sign in as someone else</button>
        </div>
        \(request)
        \(places)<p class="next">\(next)</p>
        \(remember)<div class="choice">
        <button type="submit" name="decision" value="deny">Deny</button>
        <button class="main" type="submit" name="decision" value="allow">Allow</button>
        </div>
        </form>
        """
    }

    private var next: HTMLText {
        isForDevice
            ? "This is for the device that shows the code you typed. Deny if it is not in front of you."
            : "After that you go to \(RedirectDestination(host: redirectHost).phrase)."
    }

    /// Ticked: the person sees what will happen, and can have it otherwise.
    private var remember: HTMLText? {
        guard canBeRemembered else { return nil }
        return """
            <div class="tick"><input id="remember" name="remember" type="checkbox" value="yes" checked>
            <label for="remember">Do not ask me again for this</label></div>

            """
    }

    /// Tokens will be for these APIs and no other: somebody who knows them can tell whether that is what they want.
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
