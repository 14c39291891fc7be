// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

/// The user goes on in the browser: always possible, and offered last (OAuth 2.0 for First-Party Applications section
/// 5.2.2.1.1).
struct WebStep: SignInStep {
    let type = SignInStepType.redirectToWeb
    let parameters: Set<String> = []

    func check(_ request: FormRequest) {}

    func judge(_ answer: FirstPartyAnswer, _ services: Services) -> StepOutcome {
        .redirectToWeb
    }
}
