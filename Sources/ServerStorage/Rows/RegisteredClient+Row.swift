// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import OAuthCore
import StrictJSON

extension RegisteredClient {
    /// All its values: its metadata, then what ``ClientStore/replace(_:by:)`` leaves alone.
    package var storedValues: [StoredValue] {
        metadata(changedBy: changedBy) + [
            .time(createdAt),
            .optional(secretHashes.first),
            .optional(secretHashes.dropFirst().first),
            .optional(registrationID),
            .count(ownGrantRevocations),
        ]
    }

    /// What ``ClientStore/replace(_:by:)`` replaces, after the identifier.
    ///
    /// - Parameter attempt: The change.
    /// - Returns: The values, in the order of the columns in the statements of the drivers.
    package func metadata(changedBy attempt: WriteAttempt?) -> [StoredValue] {
        [
            .text(clientID),
            .text(name),
            .json(.strings(redirectURIs)),
            .text(scope.description),
            .flag(dpopBoundAccessTokens),
            .flag(requirePushedAuthorizationRequests),
            .optional(idTokenSignedResponseAlgorithm?.rawValue),
            .json(.strings(postLogoutRedirectURIs)),
            .text(tokenEndpointAuthMethod.rawValue),
            .optional(tokenEndpointAuthSigningAlgorithm?.rawValue),
            .json(.object(jwks.json)),
            .json(.strings(grantTypes.map(\.rawValue))),
            .json(.strings(introspectionAudiences)),
            .json(.strings(tokenExchangeRights.map(\.rawValue))),
            .json(.strings(authorizationDetailTypes)),
            .optional(requestObjectSigningAlgorithm?.rawValue),
            .flag(requireSignedRequestObject),
            .flag(dpopBoundAuthorizationCodes),
            .optional(noncePolicy?.rawValue),
            .text(origin.rawValue),
            .optional(applicationType?.rawValue),
            .json(.strings(allowedWebOrigins)),
            .optional(attempt),
            .optional(expiresAt),
            .optional(documentExpiresAt),
            .flag(isFirstParty),
            .optional(jwksURI),
        ]
    }

    /// Reads a client, with the columns in the order in which every driver selects them.
    ///
    /// - Parameter row: A row of `clients`.
    /// - Throws: ``StorageError/Code/corrupted``.
    package init(row: some StoredRow) throws(StorageError) {
        self.init(
            clientID: try row.text(0),
            name: try row.text(1),
            redirectURIs: try row.strings(2),
            scope: try row.scope(3),
            dpopBoundAccessTokens: try row.flag(4),
            requirePushedAuthorizationRequests: try row.flag(5),
            idTokenSignedResponseAlgorithm: try row.optionalText(6).map { SignatureAlgorithm(rawValue: $0) },
            postLogoutRedirectURIs: try row.strings(7),
            tokenEndpointAuthMethod: ClientAuthenticationMethod(rawValue: try row.text(9)),
            tokenEndpointAuthSigningAlgorithm: try row.optionalText(10).map { SignatureAlgorithm(rawValue: $0) },
            secretHashes: [try row.optionalHash(11), try row.optionalHash(12)].compactMap(\.self),
            jwks: try row.keySet(13),
            grantTypes: try row.strings(14).map { GrantType(rawValue: $0) },
            introspectionAudiences: try row.strings(15),
            tokenExchangeRights: try row.strings(16).map { TokenExchangePolicy(rawValue: $0) },
            createdAt: try row.time(8)
        )
        authorizationDetailTypes = try row.strings(17)
        requestObjectSigningAlgorithm = try row.optionalText(18).map { SignatureAlgorithm(rawValue: $0) }
        requireSignedRequestObject = try row.flag(19)
        dpopBoundAuthorizationCodes = try row.flag(20)
        noncePolicy = try row.optionalText(21).map { DPoPNoncePolicy(rawValue: $0) }
        registrationID = try row.optionalText(22)
        ownGrantRevocations = try row.count(23)
        guard let origin = ClientOrigin(rawValue: try row.text(24)) else { throw .unreadable(row.name(of: 24)) }
        self.origin = origin
        if let text = try row.optionalText(25) {
            guard let type = ApplicationType(rawValue: text) else { throw .unreadable(row.name(of: 25)) }
            applicationType = type
        }
        allowedWebOrigins = try row.strings(26)
        changedBy = try row.optionalAttempt(27)
        expiresAt = try row.optionalTime(28)
        documentExpiresAt = try row.optionalTime(29)
        isFirstParty = try row.flag(30)
        jwksURI = try row.optionalText(31)
    }
}
