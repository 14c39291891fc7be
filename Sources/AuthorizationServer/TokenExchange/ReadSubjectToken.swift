// SPDX-License-Identifier: Apache-2.0

/// Verifies the subject token and reads its record (RFC 8693 section 2.1), after client and proof are checked.
struct ReadSubjectToken: Read {
    let section = "RFC 8693 section 2.1"

    func run(
        _ request: TokenRequest,
        _ services: Services
    ) async throws(ProtocolFailure) -> Found<TokenRequest, ExchangedToken> {
        guard let text = try? request.presentedToken("subject_token") else { return Found(base: request, value: nil) }
        return Found(base: request, value: try await ExchangedToken(text, services, at: request.now))
    }
}
