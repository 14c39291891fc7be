// SPDX-License-Identifier: Apache-2.0

import OAuthCore

extension OAuthClientError {
    /// What went wrong, as one sentence for users, in the language of ``OAuthClientText``.
    ///
    /// It depends on ``code`` alone: no text of a server, no path, no URL.
    public var userMessage: String {
        OAuthClientText.translated("error." + code.rawValue, guidance?.sentence ?? "Something went wrong.")
    }

    /// What the app or its user can do; `nil` if there is nothing to do or to say.
    public var recovery: Recovery? {
        if code == .serverUnavailable || code == .tooManyAttempts { return .retry(after: retryAfter) }
        if code == .storageFailed, isOfNewerFormat { return .updateApp }
        return guidance?.recovery
    }

    /// Whether stored tokens could not be read because a newer version wrote them; they must stay as they are.
    package var isOfNewerFormat: Bool { underlying is NewerFormat }

    /// Everything about the error for a log of developers: code, reason, and the text that the server sent, marked as the
    /// server's.
    ///
    /// Do not show it to users: the server's text can say anything. It is one line of visible ASCII.
    public var developerDescription: String {
        var text = description
        if let said = answer?.errorDescription { text += "; the server says: \(said)" }
        if let page = answer?.errorURI { text += "; the server refers to: \(page)" }
        return text
    }

    private var guidance: Guidance? { Self.guidance[code.rawValue] }

    /// What to say about a code.
    struct Guidance: Sendable {
        let sentence: String
        let recovery: Recovery?

        init(_ sentence: String, _ recovery: Recovery?) {
            (self.sentence, self.recovery) = (sentence, recovery)
        }
    }

    /// A row for each code.
    static let guidance: [String: Guidance] = [
        "invalidArgument": Guidance("The app asked for something that is not possible.", .fixConfiguration),
        "insecureURL": Guidance("The app tried to use a connection that is not secure.", .fixConfiguration),
        "originNotAllowed": Guidance("The app tried to use a service that it may not use.", .fixConfiguration),
        "unsupportedByServer": Guidance("The service does not support what the app needs.", .fixConfiguration),
        "profileContradicted": Guidance("The app is not set up correctly.", .fixConfiguration),
        "serverBelowProfile": Guidance(
            "The service does not meet the security requirements of the app.",
            .fixConfiguration
        ),
        "signedRequestRequired": Guidance(
            "The service accepts only signed requests, and the app does not sign.",
            .fixConfiguration
        ),
        "requestTooLong": Guidance("The app asked for too much at once.", .fixConfiguration),
        "clientCertificateMissing": Guidance("The app has no certificate for the service.", .fixConfiguration),
        "attestationFailed": Guidance("The app could not show that it is genuine.", .retryLater),
        "attestationRefused": Guidance("The service does not accept this copy of the app.", .contactSupport),
        "keyUnavailable": Guidance("The key of the app cannot be used now.", .unlockDevice),
        "keyMissing": Guidance("The key of the sign-in is gone.", .signInAgain),
        "keyMismatch": Guidance("The key of the sign-in was replaced.", .signInAgain),
        "storageFailed": Guidance("The app could not read or store the sign-in.", .retryLater),
        "transportFailed": Guidance("The service could not be reached.", .checkConnection),
        "cancelled": Guidance("The operation was cancelled.", nil),
        "serverUnavailable": Guidance("The service is not available now.", .retryLater),
        "clockWrong": Guidance("The date or time of the device is wrong.", .checkClock),
        "serverRejected": Guidance("The service rejected the request.", .contactSupport),
        "malformedResponse": Guidance("The service gave an answer that the app does not understand.", .contactSupport),
        "metadataOfAnotherIssuer": Guidance("The address of the service is not right.", .fixConfiguration),
        "metadataOfAnotherResource": Guidance("The address of the service is not right.", .fixConfiguration),
        "tokenTypeRejected": Guidance("The service does not protect sign-ins as the app demands.", .fixConfiguration),
        "bindingWithdrawn": Guidance("The service no longer protects sign-ins as before.", .contactSupport),
        "tokenBindingRequired": Guidance(
            "The service demands a protection that the app does not use.",
            .fixConfiguration
        ),
        "boundTokensNotAskedFor": Guidance(
            "The service uses a protection that the app does not use.",
            .fixConfiguration
        ),
        "proofAlgorithmRejected": Guidance("The service does not accept the key of the app.", .fixConfiguration),
        "idTokenRejected": Guidance("The service could not prove who signed in.", .contactSupport),
        "anotherUser": Guidance("Another user signed in than the one of this account.", .signInAgain),
        "userInfoRejected": Guidance("The service could not prove who signed in.", .contactSupport),
        "unrelatedCallback": Guidance("The link is not part of the sign-in.", nil),
        "malformedCallback": Guidance("The sign-in was answered incorrectly.", .signInAgain),
        "unknownState": Guidance("The sign-in was not begun here, or is too old.", .signInAgain),
        "callbackOfAnotherIssuer": Guidance("Another service answered the sign-in.", .signInAgain),
        "signedResponseRejected": Guidance("The answer to the sign-in is not genuine.", .signInAgain),
        "authorizationRejected": Guidance("The sign-in was not allowed.", .signInAgain),
        "firstPartyNotSupported": Guidance("The service signs in with the browser only.", .fixConfiguration),
        "signInExpired": Guidance("The sign-in took too long, or was interrupted.", .signInAgain),
        "stepNotOffered": Guidance("The service did not ask for this.", .fixConfiguration),
        "tooManyAttempts": Guidance("There were too many attempts.", .retryLater),
        "browserNeeded": Guidance("The sign-in has to go on in the browser.", .fixConfiguration),
        "browserUnavailable": Guidance("No browser can be opened here.", .fixConfiguration),
        "unsupportedRedirectURI": Guidance("The app is not set up correctly.", .fixConfiguration),
        "unsupportedResponseMode": Guidance("The app is not set up correctly.", .fixConfiguration),
        "loopbackFailed": Guidance("The app could not wait for the browser.", .retryLater),
        "timedOut": Guidance("The sign-in took too long.", .signInAgain),
        "userAgentFailed": Guidance("The browser could not be used.", .signInAgain),
        "issuerChanged": Guidance("The service has moved to another sign-in.", .contactSupport),
        "sessionEnded": Guidance("The session has ended.", .signInAgain),
        "stepUpRequired": Guidance("This needs a stronger or more recent sign-in.", .signInForMore),
        "insufficientScope": Guidance("This needs a permission that was not granted.", .signInForMore),
        "bodyNotReplayable": Guidance("The request has to be made again.", .retryLater),
    ]
}
