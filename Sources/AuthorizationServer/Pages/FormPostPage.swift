// SPDX-License-Identifier: Apache-2.0

/// The page whose form posts a response to the client (OAuth 2.0 Form Post Response Mode section 2).
///
/// Its script submits the form at once; without scripts the user presses the button.
struct FormPostPage {
    /// The only script, which the content security policy allows by its hash.
    static let script = "document.forms[0].submit()"

    /// The server's name, as configured.
    let serverName: String
    /// The name of the client, as registered.
    ///
    /// Untrusted.
    let clientName: String?
    /// The redirect URI.
    let action: String
    /// The parameters of the response.
    let fields: [(name: String, value: String)]

    /// The whole document.
    func html() -> String {
        PageFrame(serverName: serverName, title: "Back to the app", main: main).html()
    }

    private var client: DisplayName { DisplayName(clientName ?? "", limit: 48, orElse: "the app") }

    private var main: HTMLText {
        """
        <h1>Back to \(client)</h1>
        <p class="soft">Press Continue if this page stays.</p>
        <form method="post" action="\(action)">
        \(HTMLText(hiddenFields: fields))
        <button class="main" type="submit">Continue</button>
        </form>
        <script>\(HTMLText(stringLiteral: Self.script))</script>
        """
    }
}
