// SPDX-License-Identifier: Apache-2.0

/// The page that asks for the code that a device shows (RFC 8628 section 3.3).
///
/// The form posts `user_code`. A code in the address is shown for comparison, and accepted only after the user presses
/// the button: the link may come from an attacker who started the request (section 5.4).
struct DeviceCodePage {
    /// Why the page is shown again.
    enum Problem: Sendable, Hashable {
        /// The code is wrong, expired or used; the page does not say which.
        case unknownCode
        /// The rate limit is reached; the time after which another attempt is allowed.
        case tooManyAttempts(retryAfter: Duration)
    }

    /// The server's name, as configured.
    let serverName: String
    /// The path that the form is posted to.
    let action: String
    /// The hidden fields.
    let fields: [(name: String, value: String)]
    /// The code from the address, formatted as devices show it.
    var givenCode: String?
    /// Why the page is shown again; `nil` the first time.
    var problem: Problem?

    /// The whole document.
    func html() -> String {
        PageFrame(
            serverName: serverName,
            title: problem == nil ? "Connect a device" : "Error: \(problemTitle) – Connect a device",
            main: main,
            footer:
                "If someone sent you this code or this link, close the page: they would get access to your account."
        ).html()
    }

    private var main: HTMLText {
        """
        <h1>Connect a device</h1>
        <p class="soft" id="purpose">\(purpose)</p>
        \(summary)<form method="post" action="\(action)" novalidate>
        \(HTMLText(hiddenFields: fields))
        <label for="user-code">Code</label>
        <input id="user-code" name="user_code" type="text" autocomplete="off" autocapitalize="characters" \
        autocorrect="off" spellcheck="false" required value="\(givenCode ?? "")"\(state)>
        <button class="main" type="submit">Continue</button>
        </form>
        \(SubmitGuard.html)
        """
    }

    private var purpose: String {
        givenCode == nil
            ? "Type the code that your device shows, such as BCDF-GHJK."
            : "Go on only if your device, in front of you, shows the very same code."
    }

    private var problemTitle: String {
        switch problem {
        case .unknownCode: "This code does not work"
        case .tooManyAttempts: "Too many attempts"
        case nil: ""
        }
    }

    private var advice: String {
        switch problem {
        case .unknownCode: "Check it and try again. If it is more than a few minutes old, start again on the device."
        case .tooManyAttempts(let retryAfter): "Wait \(RetryDelayText(retryAfter)), then try again."
        case nil: ""
        }
    }

    private var summary: HTMLText? {
        guard problem != nil else { return nil }
        return """
            <div class="problem" role="alert" id="problem"\(" tabindex=\"-1\" autofocus", if: problem != .unknownCode)>
            <h2>\(problemTitle)</h2>
            <p>\(advice)</p>
            </div>

            """
    }

    /// Attributes of the field: described by the problem or by the instructions, and focused.
    private var state: HTMLText {
        switch problem {
        case .unknownCode: " autofocus aria-invalid=\"true\" aria-describedby=\"problem\""
        case .tooManyAttempts: " aria-describedby=\"purpose\""
        case nil: " autofocus aria-describedby=\"purpose\""
        }
    }
}
