// SPDX-License-Identifier: Apache-2.0

/// The page that asks the user to confirm signing out.
///
/// The form posts `decision` as `signout` or `stay`. Anyone can make a link to this page, so nothing is preselected.
struct SignOutPage {
    /// The server's name, as configured.
    let serverName: String
    /// The name of the requesting client, as registered, untrusted; `nil` if none is named.
    let clientName: String?
    /// The name of the signed-in user.
    let userName: String
    /// The path that the form is posted to.
    let action: String
    /// The hidden fields.
    let fields: [(name: String, value: String)]

    /// The whole document.
    func html() -> String {
        PageFrame(
            serverName: serverName,
            title: "Sign out?",
            main: main,
            footer: "If you did not start this yourself, stay signed in."
        ).html()
    }

    private var user: DisplayName { DisplayName(userName, orElse: "unknown") }

    private var main: HTMLText {
        """
        <h1>Sign out of \(DisplayName(serverName, orElse: "this server"))?</h1>
        <form method="post" action="\(action)">
        \(HTMLText(hiddenFields: fields))
        <div class="account">
        <span class="badge" aria-hidden="true">\(user.initial ?? "\u{2022}")</span>
        <p><small>Signed in as</small>\(user)</p>
        </div>
        \(request)<p class="next">You will still be signed in to your apps; sign out of each of them too.</p>
        <div class="choice">
        <button type="submit" name="decision" value="stay">Stay signed in</button>
        <button class="main" type="submit" name="decision" value="signout">Sign out</button>
        </div>
        </form>
        """
    }

    private var request: HTMLText? {
        clientName.map { name in
            "<p>\(DisplayName(name, limit: 48, orElse: "An app without a name")) asks you to sign out.</p>\n"
        }
    }
}
