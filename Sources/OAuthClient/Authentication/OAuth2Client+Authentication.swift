// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthTransport

extension OAuth2Client {
    /// The address of an endpoint, after checking that the server supports this client's authentication method.
    func address(of endpoint: ClientEndpoint) async throws(OAuthClientError) -> URI {
        let metadata = try await currentMetadata()
        try requireSupport(of: configuration.clientAuthentication, at: endpoint, by: metadata)
        return try address(of: endpoint.uri(in: metadata), named: endpoint.rawValue, in: metadata)
    }

    /// The address of an endpoint for this client: its alias, if the client uses a certificate and there is one.
    func address(
        of uri: URI?,
        named name: String,
        in metadata: AuthorizationServerMetadata
    ) throws(OAuthClientError) -> URI {
        let authentication = configuration.clientAuthentication
        guard case .certificate = authentication.credential else { return try urlPolicy.endpoint(uri, name) }
        guard transport.presentsClientCertificate else {
            throw OAuthClientError(
                .clientCertificateMissing,
                "\(authentication.method) needs a transport that presents a client certificate, which this one does not"
            )
        }
        // RFC 8705 section 5: an endpoint without an alias has one address for all clients.
        return try urlPolicy.endpoint(metadata.mtlsEndpointAliases[name] ?? uri, name)
    }

    private func requireSupport(
        of authentication: ClientAuthentication,
        at endpoint: ClientEndpoint,
        by metadata: AuthorizationServerMetadata
    ) throws(OAuthClientError) {
        // Many servers that support public clients list only the methods that they can check.
        if case .nothing = authentication.credential { return }
        if let supported = endpoint.authenticationMethods(in: metadata),
            !supported.contains(authentication.method.rawValue)
        {
            throw Self.unsupported("client authentication with \(authentication.method)", supported)
        }
        guard let algorithm = authentication.credential.signingAlgorithm else { return }
        if endpoint != .revocation, endpoint != .introspection,
            let supported = metadata.tokenEndpointAuthSigningAlgValuesSupported,
            !supported.contains(algorithm)
        {
            throw Self.unsupported("client assertions with \(algorithm)", supported)
        }
    }

    static func unsupported(_ what: String, _ supported: [String]) -> OAuthClientError {
        OAuthClientError(
            .unsupportedByServer,
            "the server does not support \(what); it supports \(names(in: supported))"
        )
    }

    /// The names that a server lists, for an error message: only names, and a limited number.
    static func names(in list: [String]) -> String {
        let names = list.prefix(16).filter { name in
            name.utf8.count <= 64 && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        }
        return names.isEmpty ? "nothing that this client knows" : names.joined(separator: ", ")
    }
}

extension ClientAuthentication.Credential {
    /// The algorithm of client assertions; `nil` for a method without them.
    fileprivate var signingAlgorithm: String? {
        switch self {
        case .privateKey(let key, _): key.algorithm.rawValue
        case .sharedKey(let key): key.algorithm.rawValue
        default: nil
        }
    }
}
