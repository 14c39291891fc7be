// SPDX-License-Identifier: Apache-2.0

/// What an app or its user can do about an error.
///
/// A minor version may add kinds.
public struct Recovery: Sendable, Hashable {
    /// The kind, in lower camel case.
    public let rawValue: String
    /// How long to wait first; `nil` when the server did not say.
    public let after: Duration?

    private init(_ rawValue: String, after: Duration? = nil) {
        self.rawValue = rawValue
        self.after = after
    }

    /// The user signs in again.
    public static let signInAgain = Self("signInAgain")
    /// The user signs in again, with what ``OAuthClientError/stepUp`` or ``OAuthClientError/scopeChallenge`` demands.
    public static let signInForMore = Self("signInForMore")
    /// The same call is made again later.
    public static let retryLater = Self("retryLater")
    /// The user checks the network, then the call is made again.
    public static let checkConnection = Self("checkConnection")
    /// The device is unlocked, then the call is made again.
    public static let unlockDevice = Self("unlockDevice")
    /// The user sets the clock of the device.
    public static let checkClock = Self("checkClock")
    /// The developer or operator changes the configuration of the app or the server.
    public static let fixConfiguration = Self("fixConfiguration")
    /// The user installs the newest version of the app.
    public static let updateApp = Self("updateApp")
    /// Only the operator of the server can help.
    public static let contactSupport = Self("contactSupport")

    static func retry(after duration: Duration?) -> Recovery { Recovery("retryLater", after: duration) }

    /// One sentence for the user, in the language of ``OAuthClientText``.
    public var text: String {
        OAuthClientText.translated("recovery." + rawValue, Self.sentences[rawValue] ?? "Try again.")
    }

    private static let sentences = [
        "signInAgain": "Sign in again.",
        "signInForMore": "Sign in again to allow this.",
        "retryLater": "Try again in a while.",
        "checkConnection": "Check the network connection and try again.",
        "unlockDevice": "Unlock the device and try again.",
        "checkClock": "Set the date and time of the device and try again.",
        "fixConfiguration": "Tell the developer of the app about this error.",
        "updateApp": "Install the newest version of the app.",
        "contactSupport": "Contact the support of the service.",
    ]
}
