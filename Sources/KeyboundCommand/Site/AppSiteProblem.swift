// SPDX-License-Identifier: Apache-2.0

/// What keeps an https callback from reaching an app.
struct AppSiteProblem: Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, for programs; new codes may be added in a minor version.
    struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the code, in lower camel case.
        let rawValue: String

        private init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name of the code.
        var description: String { rawValue }

        /// The URL returns a redirect, which Apple does not follow.
        static let redirected = Self("redirected")
        /// The URL returns another status than 200.
        static let unexpectedStatus = Self("unexpectedStatus")
        /// The content type is not `application/json`.
        static let wrongContentType = Self("wrongContentType")
        /// The file is larger than 128 KiB.
        static let tooLarge = Self("tooLarge")
        /// The file is signed, as before iOS 9.
        static let signed = Self("signed")
        /// The file is not JSON of the form that Apple documents.
        static let malformed = Self("malformed")
        /// The app is not in `webcredentials`.
        static let appNotInWebCredentials = Self("appNotInWebCredentials")
        /// The app is not in `applinks`.
        static let appNotInAppLinks = Self("appNotInAppLinks")
        /// No pattern of `applinks` matches the callback.
        static let callbackNotMatched = Self("callbackNotMatched")
        /// The first pattern that matches the callback has `exclude`.
        static let callbackExcluded = Self("callbackExcluded")
        /// The first pattern that matches the callback is one of another app.
        static let callbackOfAnotherApp = Self("callbackOfAnotherApp")
    }

    /// What is wrong, for programs.
    let code: Code
    /// The problem in one sentence without a final full stop.
    let reason: String

    init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    var description: String { "\(code): \(reason)" }
}
