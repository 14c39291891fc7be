// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import StrictJSON

/// The keys of a client, as they were fetched from the `jwks_uri` of its metadata document (RFC 7517 section 5).
struct ClientKeySet: Sendable {
    /// In bytes: enough for sixteen RSA keys with their certificates.
    static let maximumSize = 32_768
    /// As for keys that are registered.
    private static let maximumKeys = 16
    /// The members of private and symmetric keys (RFC 7518 sections 6.2.2, 6.3.2 and 6.4).
    private static let secretMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    let keys: JWKSet
    /// How long they may be used.
    let lifetime: Duration

    /// Reads the response to a request for the set.
    init(_ response: HTTPResponse) throws(ProtocolFailure) {
        guard response.status == 200 else { throw .clientKeySet("its URL did not answer with status 200") }
        let fields = DocumentFields(fields: response.fields)
        guard fields.isJSON else { throw .clientKeySet("it is not application/json or application/jwk-set+json") }
        guard response.body.count <= Self.maximumSize else {
            throw .clientKeySet("it is longer than \(Self.maximumSize) bytes")
        }
        guard let object = (try? JSONValue(parsing: response.body))?.objectValue,
            let values = object["keys"]?.arrayValue
        else { throw .clientKeySet("it is no JSON object with an array of keys") }
        guard values.count <= Self.maximumKeys else {
            throw .clientKeySet("it has more than \(Self.maximumKeys) keys")
        }
        guard !values.contains(where: Self.isSecret) else {
            throw .clientKeySet("it has a private or symmetric key, which everybody can read")
        }
        // Section 5: keys of other types and for other uses are ignored.
        guard let keys = try? JWKSet(parsing: object), !keys.keys.isEmpty else {
            throw .clientKeySet("it has no public key for signatures")
        }
        self.keys = keys
        lifetime = fields.lifetime
    }

    private static func isSecret(_ value: JSONValue) -> Bool {
        guard let key = value.objectValue else { return false }
        return key["kty"]?.stringValue == "oct" || secretMembers.contains { key[$0] != nil }
    }
}

extension ProtocolFailure {
    /// RFC 6749 section 5.2: without its keys the client cannot be authenticated.
    static func clientKeySet(_ reason: String) -> ProtocolFailure {
        ProtocolFailure(.invalidClient, "the key set of the client (jwks_uri) cannot be used: \(reason)")
    }
}
