// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// A stage that takes an `id_token_hint`.
protocol HintedStage: FormStage {
    associatedtype Hinted: Sendable

    /// The next stage; `nil` if the request has no hint.
    func hinted(by hint: IDTokenHint?) -> Hinted
}

extension DraftAuthorizationRequest: HintedStage {
    func hinted(by hint: IDTokenHint?) -> DraftAuthorizationRequest {
        guard let hint else { return self }
        var request = self
        request.authorization.authentication.subject = hint.subject
        return request
    }
}

extension FormRequest: HintedStage {
    func hinted(by hint: IDTokenHint?) -> LogoutRequest {
        LogoutRequest(form: self, hint: hint)
    }
}
