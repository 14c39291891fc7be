// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer

extension SigningKeyPolicy {
    /// When keys are replaced.
    init(_ settings: ServerSettings) throws {
        let standard = SigningKeyPolicy()
        self.init(
            rotation: try settings.duration(.keyRotation, standard.rotation),
            publication: try settings.duration(.keyPublication, standard.publication)
        )
        let lifetimes = try Lifetimes(settings)
        do {
            try validate(tokenLifetime: lifetimes.signedTokens)
        } catch {
            throw failure(error, settings, lifetimes)
        }
    }

    /// What is wrong with the rotation; if nobody set that, it is what was set too long for it.
    private func failure(
        _ error: AuthorizationServerError,
        _ settings: ServerSettings,
        _ lifetimes: Lifetimes
    ) -> CommandFailure {
        let lifetime: Setting = lifetimes.session > lifetimes.accessToken ? .sessionLifetime : .accessTokenLifetime
        let cause: Setting = rotation < publication * 2 ? .keyPublication : lifetime
        guard error.setting == Setting.keyRotation.key, !settings.isGiven(.keyRotation), settings.isGiven(cause) else {
            return settings.failure(error, hint: "--key-rotation and --key-publication")
        }
        return CommandFailure.usage(
            "\(settings.place(of: cause)): \(error.reason)",
            hint: "a shorter one, or a longer \(Setting.keyRotation.key) (\(Setting.keyRotation.option.name))"
        )
    }
}
