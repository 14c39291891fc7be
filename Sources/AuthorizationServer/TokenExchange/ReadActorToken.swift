// SPDX-License-Identifier: Apache-2.0

/// Verifies the actor token, if there is one, and reads its record (RFC 8693 section 2.1).
///
/// Runs after the check of the subject token: a request that it rejects causes no second verification.
struct ReadActorToken: Read {
    let section = "RFC 8693 section 2.1"

    func run(
        _ request: ExchangeRequest,
        _ services: Services
    ) async throws(ProtocolFailure) -> Found<ExchangeRequest, ExchangedToken> {
        guard let text = try? request.presentedToken("actor_token") else { return Found(base: request, value: nil) }
        return Found(base: request, value: try await ExchangedToken(text, services, at: request.now))
    }
}
