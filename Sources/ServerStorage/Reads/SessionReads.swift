// SPDX-License-Identifier: Apache-2.0

/// Who is signed in in a browser, and what the user consented to, all of one moment.
public struct SessionReads: Sendable, Hashable {
    /// The session of the browser; `nil` if there is none.
    public var session: BrowserSession?
    /// The account of the session's user; `nil` if there is none.
    public var user: UserAccount?
    /// The consent of that user to the client, for the details of the request.
    public var consent: StoredConsent?

    /// Makes a value.
    ///
    /// - Parameters:
    ///   - session: The session of the browser.
    ///   - user: The account of the session's user.
    ///   - consent: The consent of that user to the client.
    public init(session: BrowserSession? = nil, user: UserAccount? = nil, consent: StoredConsent? = nil) {
        self.session = session
        self.user = user
        self.consent = consent
    }
}
