// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import ServerStorage

/// Every step of a sign-in without a browser, the preferred one first.
enum SignInSteps {
    static let all: [any SignInStep] = [PasswordStep(), WebStep()]

    /// The steps that a server may ask for: with a login provider every sign-in continues in the browser.
    static func supported(by configuration: ServerConfiguration) -> [any SignInStep] {
        configuration.loginSystem == nil ? all : [WebStep()]
    }

    /// The steps before the user has given a name: the same for every name.
    static let first: [SignInStepType] = [.password, .redirectToWeb]

    /// The step with a word; `nil` if there is none.
    static func step(_ type: String) -> (any SignInStep)? {
        all.first { $0.type.rawValue.isIdentical(to: type) }
    }

    /// The steps that a session offers.
    static func offered(in session: StoredFirstPartySession) -> [any SignInStep] {
        session.offered.compactMap { step($0.rawValue) }
    }
}
