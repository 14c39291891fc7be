// SPDX-License-Identifier: Apache-2.0

package import JOSE
package import OAuthCore
package import OAuthSystem
package import PKCE
package import StrictJSON

/// What records are made of, as ``StoredValue`` writes it.
extension StoredRow {
    package func time(_ column: Int32) throws(StorageError) -> Timestamp {
        Timestamp(millisecondsSince1970: try integer(column))
    }

    package func optionalTime(_ column: Int32) throws(StorageError) -> Timestamp? {
        isNull(column) ? nil : try time(column)
    }

    package func optionalAttempt(_ column: Int32) throws(StorageError) -> WriteAttempt? {
        isNull(column) ? nil : WriteAttempt(id: try integer(column))
    }

    package func flag(_ column: Int32) throws(StorageError) -> Bool {
        switch try integer(column) {
        case 0: return false
        case 1: return true
        default: throw .unreadable(name(of: column))
        }
    }

    package func count(_ column: Int32) throws(StorageError) -> Int {
        guard let count = Int(exactly: try integer(column)), count >= 0 else { throw .unreadable(name(of: column)) }
        return count
    }

    package func hash(_ column: Int32) throws(StorageError) -> SecretHash {
        SecretHash(stored: try blob(column))
    }

    package func optionalHash(_ column: Int32) throws(StorageError) -> SecretHash? {
        isNull(column) ? nil : try hash(column)
    }

    package func optionalText(_ column: Int32) throws(StorageError) -> String? {
        isNull(column) ? nil : try text(column)
    }

    package func scope(_ column: Int32) throws(StorageError) -> Scope {
        try parsed(column) { text in try Scope(parsing: text) }
    }

    package func optionalThumbprint(_ column: Int32) throws(StorageError) -> JWKThumbprint? {
        isNull(column) ? nil : try parsed(column) { text in try JWKThumbprint(text) }
    }

    package func strings(_ column: Int32) throws(StorageError) -> [String] {
        let strings = try json(column).arrayValue?.map(\.stringValue) ?? [nil]
        let texts = strings.compactMap(\.self)
        guard texts.count == strings.count else { throw .unreadable(name(of: column)) }
        return texts
    }

    package func keySet(_ column: Int32) throws(StorageError) -> JWKSet {
        guard let object = try json(column).objectValue else { throw .unreadable(name(of: column)) }
        do {
            return try JWKSet(parsing: object)
        } catch {
            throw .unreadable(name(of: column), underlying: error)
        }
    }

    package func authentication(_ reference: Int32, methods: Int32) throws(StorageError) -> AuthenticationContext {
        AuthenticationContext(reference: try optionalText(reference), methods: try strings(methods))
    }

    package func authorizationRequest(_ column: Int32) throws(StorageError) -> AuthorizationRequest {
        guard let object = try json(column).objectValue else { throw .unreadable(name(of: column)) }
        do {
            return try AuthorizationRequest(stored: object)
        } catch {
            throw .unreadable(name(of: column), underlying: error)
        }
    }

    package func object(_ column: Int32) throws(StorageError) -> JSONObject {
        guard let object = try json(column).objectValue else { throw .unreadable(name(of: column)) }
        return object
    }

    /// The claims of an account; most have none.
    package func claims(_ column: Int32) throws(StorageError) -> JSONObject {
        isNull(column) ? JSONObject() : try object(column)
    }

    package func authorizationDetails(_ column: Int32) throws(StorageError) -> [AuthorizationDetail] {
        do {
            return try AuthorizationDetail.list(parsing: json(column))
        } catch {
            throw .unreadable(name(of: column), underlying: error)
        }
    }

    package func publicKey(_ column: Int32) throws(StorageError) -> JWK {
        guard let object = try json(column).objectValue else { throw .unreadable(name(of: column)) }
        do {
            return try JWK(parsing: object)
        } catch {
            throw .unreadable(name(of: column), underlying: error)
        }
    }

    package func codeChallenge(_ column: Int32, method: Int32) throws(StorageError) -> CodeChallenge {
        let method = try text(method)
        return try parsed(column) { value in try CodeChallenge(parsing: value, method: method) }
    }

    private func json(_ column: Int32) throws(StorageError) -> JSONValue {
        try parsed(column) { text in
            // Most lists are empty.
            if text == "[]" { return .array([]) }
            // Input was limited when it arrived. What is stored must be readable at any size.
            return try JSONValue(parsing: Array(text.utf8), limits: JSONLimits(maximumSize: .max))
        }
    }

    /// Reads a text that this program wrote in a specific format.
    private func parsed<Value>(_ column: Int32, _ parse: (String) throws -> Value) throws(StorageError) -> Value {
        let text = try text(column)
        do {
            return try parse(text)
        } catch {
            throw .unreadable(name(of: column), underlying: error)
        }
    }
}
