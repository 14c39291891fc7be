// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
import OAuthSystem
import ServerStorage
import StrictJSON

/// Asks for user name and password in one step: the steps after a name alone would tell which accounts exist.
///
/// NIST SP 800-63B section 5.2.2.
struct PasswordStep: SignInStep {
    let type = SignInStepType.password
    let parameters: Set<String> = [FirstPartyParameter.username, FirstPartyParameter.password]

    func check(_ request: FormRequest) throws(ProtocolFailure) {
        _ = try Self.signIn(in: request)
    }

    func offer(_ session: StoredFirstPartySession) -> JSONObject {
        var offer: JSONObject = [FirstPartyParameter.type: .string(type.rawValue)]
        offer[FirstPartyParameter.username] = session.request.authentication.loginHint.map { .string($0) }
        return offer
    }

    func judge(_ answer: FirstPartyAnswer, _ services: Services) async throws(ProtocolFailure) -> StepOutcome {
        let reads = answer.clientRequest.signIn
        let outcome = try await Self.signIn(in: answer.form).check(
            against: reads.namedUser,
            knownOn: reads.isKnownKey ? answer.session.request.dpopThumbprint?.description : nil,
            at: answer.now,
            services
        )
        return switch outcome {
        case .right(let account, let attempt):
            .right(
                RightAnswer(
                    account: account,
                    user: AuthenticatedUser(
                        subject: account.subject,
                        authenticatedAt: answer.now,
                        authentication: services.passwordAuthentication
                    ),
                    attempt: attempt
                )
            )
        case .wrong: .wrong
        case .wait(let wait): .wait(wait)
        case .busy: .busy
        }
    }

    private static func signIn(in request: FormRequest) throws(ProtocolFailure) -> PasswordSignIn {
        let username = try request.requiredParameter(FirstPartyParameter.username)
        let password = try request.requiredParameter(FirstPartyParameter.password)
        guard let signIn = PasswordSignIn(username: username, password: password) else {
            throw ProtocolFailure(
                .invalidRequest,
                "a username has at most \(Username.maximumLength) bytes and a password at most 1024"
            )
        }
        return signIn
    }
}
