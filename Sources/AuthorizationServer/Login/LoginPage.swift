// SPDX-License-Identifier: Apache-2.0

/// The page that asks for a user name and a password.
///
/// A plain form, which needs no script (``SubmitGuard``). It has `novalidate`: the server validates, so messages have the same words and place
/// in every browser, and screen readers still announce the fields as required.
struct LoginPage {
    /// Why the page is shown again.
    enum Problem: Sendable, Hashable {
        /// The name is unknown or the password is wrong; the page does not say which.
        case wrongCredentials
        /// The rate limit is reached; the time after which another attempt is allowed.
        case tooManyAttempts(retryAfter: Duration)
        /// The queue for password checks is full.
        case serverBusy
        /// A field is empty; ``LoginPage/username`` tells which one.
        case missingFields
    }

    /// The server's name, as configured.
    let serverName: String
    /// The name of the client, as registered; `nil` if the user signs in to connect a device.
    ///
    /// Untrusted.
    let clientName: String?
    /// The code of the device that the address has, which the form carries on.
    var userCode: String?
    /// The path that the form is posted to.
    let action: String
    /// The value of the hidden field `request`.
    let requestReference: String
    /// The value of the hidden field `csrf_token`.
    let csrfToken: String
    /// The user name to fill in, as entered before or from `login_hint`; omitted if it cannot be shown unchanged.
    var username: String?
    /// Why the page is shown again; `nil` the first time.
    var problem: Problem?

    /// The whole document.
    func html() -> String {
        PageFrame(
            serverName: serverName,
            title: problem == nil ? "Sign in" : "Error: \(problemTitle) – Sign in",
            main: main,
            footer: "Your password stays here. \(clientName == nil ? "The device" : client) never gets to see it."
        ).html()
    }

    private var client: HTMLText {
        "\(DisplayName(clientName ?? "", limit: 48, orElse: "an app without a name"))"
    }

    private var purpose: HTMLText { clientName == nil ? "to connect a device" : "to continue to \(client)" }

    private var codeField: HTMLText? {
        userCode.map { code in "<input type=\"hidden\" name=\"user_code\" value=\"\(code)\">\n" }
    }

    private var prefilledName: String? {
        guard let username, !username.isEmpty else { return nil }
        return DisplayName(username, limit: 128, orElse: "").isFaithful ? username : nil
    }

    private var main: HTMLText {
        """
        <h1>Sign in</h1>
        <p class="soft" id="purpose">\(purpose)</p>
        \(summary)<form method="post" action="\(action)" novalidate>
        <input type="hidden" name="request" value="\(requestReference)">
        <input type="hidden" name="csrf_token" value="\(csrfToken)">
        \(codeField)<label for="username">Username</label>
        \(nameError)<input id="username" name="username" type="text" autocomplete="username" autocapitalize="none" \
        autocorrect="off" spellcheck="false" required value="\(prefilledName ?? "")"\(nameState)>
        <label for="password">Password</label>
        \(passwordError)<input id="password" name="password" type="password" autocomplete="current-password" \
        required\(passwordState)>
        <button class="main" type="submit">Sign in</button>
        </form>
        \(SubmitGuard.html)
        """
    }
}

extension LoginPage {
    private var problemTitle: String {
        switch problem {
        case .wrongCredentials: "Wrong username or password"
        case .tooManyAttempts: "Too many attempts"
        case .serverBusy: "The server is busy"
        case .missingFields: "Something is missing"
        case nil: ""
        }
    }

    private var advice: String {
        switch problem {
        case .wrongCredentials: "Check both and try again."
        // The same for every name: the page must not reveal which accounts exist or are under attack.
        case .tooManyAttempts(let retryAfter):
            "Wait \(RetryDelayText(retryAfter)), then try again. If the right password is not accepted, use a "
                + "browser in which you have signed in before, or ask for a new password."
        case .serverBusy: "Nothing is wrong with what you typed. Try again in a few seconds."
        case .missingFields: isNameMissing ? "Enter your username and your password." : "Enter your password."
        case nil: ""
        }
    }

    /// The message at the top.
    ///
    /// Gets the focus if no field has an error.
    private var summary: HTMLText? {
        guard problem != nil else { return nil }
        return """
            <div class="problem" role="alert" id="problem"\(" tabindex=\"-1\" autofocus", if: !fieldsAreAtFault)>
            <h2>\(problemTitle)</h2>
            <p>\(advice)</p>
            </div>

            """
    }

    private var isNameMissing: Bool { problem == .missingFields && prefilledName == nil }
    private var fieldsAreAtFault: Bool { problem == .wrongCredentials || problem == .missingFields }

    private var nameError: HTMLText? {
        isNameMissing ? "<p class=\"error\" id=\"username-error\">Enter your username</p>\n" : nil
    }

    private var passwordError: HTMLText? {
        problem == .missingFields ? "<p class=\"error\" id=\"password-error\">Enter your password</p>\n" : nil
    }

    /// Attributes of the name field: described by its error or by the purpose of the login, and focused.
    private var nameState: HTMLText {
        let isFocused = prefilledName == nil && (problem == nil || fieldsAreAtFault)
        let focus: HTMLText = "\(" autofocus", if: isFocused)"
        if isNameMissing { return "\(focus) aria-invalid=\"true\" aria-describedby=\"username-error\"" }
        if problem == .wrongCredentials { return "\(focus) aria-invalid=\"true\" aria-describedby=\"problem\"" }
        return "\(focus) aria-describedby=\"purpose\""
    }

    private var passwordState: HTMLText {
        let isFocused = prefilledName != nil && (problem == nil || fieldsAreAtFault)
        let focus: HTMLText = "\(" autofocus", if: isFocused)"
        if problem == .missingFields { return "\(focus) aria-invalid=\"true\" aria-describedby=\"password-error\"" }
        if problem == .wrongCredentials { return "\(focus) aria-invalid=\"true\" aria-describedby=\"problem\"" }
        return "\(focus) aria-describedby=\"purpose\""
    }
}
