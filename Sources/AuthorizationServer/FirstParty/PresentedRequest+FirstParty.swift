// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import ServerStorage

extension PresentedRequest<FirstPartyReads> {
    /// Reads what the checks of a sign-in without a browser look at; a request that names no client is of that of its
    /// session (OAuth 2.0 for First-Party Applications section 5.1).
    init(
        _ form: FormRequest,
        continuing session: AuthSession?,
        _ services: Services,
        _ read: (any AuthorizationStorage, _ clientID: String?) async throws -> FirstPartyReads
    ) async throws(ProtocolFailure) {
        let presented = Result { () throws(ProtocolFailure) in try ClientCredentials(form) }
        let clientID = try? presented.get().clientID
        let reads = try await services.stored { try await read($0, clientID) }
        let (names, value) = (try form.namesClient(), try form.parameter(FirstPartyParameter.authSession))
        let isNamed = names || value == nil
        let credentials: Result<ClientCredentials, ProtocolFailure> =
            if isNamed {
                presented
            } else if let session = reads.session {
                .success(ClientCredentials(named: session.request.clientID))
            } else {
                .failure(.sessionRejected("unknown"))
            }
        self.init(form: form, credentials: credentials, reads: reads)
    }
}
