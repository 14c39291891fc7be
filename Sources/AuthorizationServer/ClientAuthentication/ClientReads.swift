// SPDX-License-Identifier: Apache-2.0

import ServerStorage

/// What was read for a request in one round trip; contains the client that the request names.
protocol ClientReads: Sendable {
    associatedtype Authenticated: ClientStage

    /// The registered client with that `client_id`.
    var client: RegisteredClient? { get }

    /// The stage after client authentication.
    func authenticated(_ request: ClientRequest) -> Authenticated
}

extension ClientReads where Authenticated == AuthenticatedRequest<Self> {
    func authenticated(_ request: ClientRequest) -> AuthenticatedRequest<Self> {
        AuthenticatedRequest(clientRequest: request, reads: self)
    }
}

/// What is read if the checks look at nothing but the client.
struct OnlyClientReads: ClientReads {
    let client: RegisteredClient?

    func authenticated(_ request: ClientRequest) -> ClientRequest { request }
}

extension CodeReads: ClientReads {
    typealias Authenticated = AuthenticatedRequest<CodeReads>
}

extension RefreshTokenReads: ClientReads {
    typealias Authenticated = AuthenticatedRequest<RefreshTokenReads>
}

extension DeviceCodeReads: ClientReads {
    typealias Authenticated = AuthenticatedRequest<DeviceCodeReads>
}

extension TokenReads: ClientReads {
    typealias Authenticated = AuthenticatedRequest<TokenReads>
}
