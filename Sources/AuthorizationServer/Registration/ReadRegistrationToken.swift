// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import ServerStorage

/// Reads the initial access token of a request, if it is usable (RFC 7591 section 3).
struct ReadRegistrationToken: Read {
    let section = "RFC 7591 section 3"

    func run(
        _ request: ReceivedRequest,
        _ services: Services
    ) async throws(ProtocolFailure) -> Found<ReceivedRequest, UsableRegistrationToken> {
        let fields = request.http.fields.values(for: "Authorization")
        guard fields.count == 1, let credentials = try? Credentials.parse(fields[0]), credentials.hasScheme("Bearer")
        else { return Found(base: request, value: nil) }
        let (hash, now) = (SecretHash(of: credentials.token68), request.now)
        let policy = try await services.stored { try await $0.registrationPolicy(of: hash, at: now) }
        return Found(base: request, value: policy.map { UsableRegistrationToken(hash: hash, policy: $0) })
    }
}
