// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthClient
import StrictJSON
import TestSupport

/// A user who signs in as somebody, at a provider without pages.
struct ProviderUser: UserAgent {
    let subject: String
    let provider: OpenIDProvider

    func authorize(
        redirectURI: String,
        _ makeRequest: @Sendable (String) async throws -> AuthorizationRequest
    ) async throws -> AuthorizationCallback {
        let request = try await makeRequest(redirectURI)
        let subject = subject
        await provider.change { $0.claims = ["sub": .string(subject), "name": .string("Name of \(subject)")] }
        return AuthorizationCallback(url: try await provider.approve(request))
    }
}
#endif
