// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
public import OAuthCore
public import OAuthSystem

/// What the user answered to a step.
///
/// It is never printed.
///
/// A minor version may add cases.
public enum StepAnswer: Sendable, RedactedSecret {
    /// User name (256 bytes at most) and password (1024 bytes at most).
    case password(username: String, password: String)
    /// The code of an authenticator app, 16 digits at most; spaces are left out.
    case totp(String)
    /// A recovery code, 64 bytes at most.
    case recoveryCode(String)
    /// `AuthenticationResponseJSON`, as the passkey API of the platform gives it; 16 KiB at most.
    case passkey(json: String)
    /// The user goes on in the browser.
    case redirectToWeb
    /// The answer to a step that this version does not know.
    case other(type: String, parameters: [String: String])

    /// The type of the step that this answers.
    public var type: SignInStepType {
        switch self {
        case .password: .password
        case .totp: .totp
        case .recoveryCode: .recoveryCode
        case .passkey: .passkey
        case .redirectToWeb: .redirectToWeb
        case .other(let type, _): SignInStepType(rawValue: type)
        }
    }
}

extension StepAnswer {
    private static let maximumUsernameLength = 256
    private static let maximumPasswordLength = 1024
    private static let maximumCodeLength = 16
    private static let maximumRecoveryCodeLength = 64
    private static let maximumCredentialLength = 16_384
    private static let maximumOtherLength = 16_384

    /// The parameters that only the client sets.
    private static let ownParameters: Set<String> = [
        FirstPartyParameter.authSession, FirstPartyParameter.step, "client_id", "response_type", "client_secret",
        "client_assertion", "client_assertion_type",
    ]

    /// The parameters of the step.
    ///
    /// - Throws: ``OAuthClientError/Code/invalidArgument`` for a text that is empty or too long, and for a parameter of the
    ///   client itself.
    func parameters() throws(OAuthClientError) -> FormParameters {
        switch self {
        case .password(let username, let password):
            [
                FirstPartyParameter.username: try Self.text(username, "user name", Self.maximumUsernameLength),
                FirstPartyParameter.password: try Self.text(password, "password", Self.maximumPasswordLength),
            ]
        case .totp(let code):
            [
                FirstPartyParameter.code: try Self.text(
                    String(code.filter { !$0.isWhitespace }),
                    "code",
                    Self.maximumCodeLength
                )
            ]
        case .recoveryCode(let code):
            [FirstPartyParameter.code: try Self.text(code, "recovery code", Self.maximumRecoveryCodeLength)]
        case .passkey(let json):
            [FirstPartyParameter.credential: try Self.text(json, "passkey", Self.maximumCredentialLength)]
        case .redirectToWeb: [:]
        case .other(_, let parameters): try Self.form(parameters)
        }
    }

    private static func form(_ parameters: [String: String]) throws(OAuthClientError) -> FormParameters {
        var form = FormParameters()
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
            guard !ownParameters.contains(name) else {
                throw OAuthClientError(.invalidArgument, "'\(name)' is set by the client itself")
            }
            form.append(name, try text(value, "answer", maximumOtherLength))
        }
        return form
    }

    private static func text(
        _ text: String,
        _ what: String,
        _ maximumLength: Int
    ) throws(OAuthClientError) -> String {
        guard (1...maximumLength).contains(text.utf8.count) else {
            throw OAuthClientError(.invalidArgument, "the \(what) is empty, or longer than \(maximumLength) bytes")
        }
        return text
    }
}
