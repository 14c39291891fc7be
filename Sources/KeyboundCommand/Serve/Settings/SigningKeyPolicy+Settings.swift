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
        do {
            try validate(tokenLifetime: try Lifetimes(settings).signedTokens)
        } catch let error as AuthorizationServerError {
            throw settings.failure(error, hint: "--key-rotation and --key-publication")
        }
    }
}
