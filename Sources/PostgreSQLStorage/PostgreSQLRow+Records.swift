// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import OAuthCore
import OAuthSystem
import PKCE
import ServerStorage
import StrictJSON

extension PostgreSQLRow {
    func time(_ column: Int32) throws(StorageError) -> Timestamp {
        Timestamp(millisecondsSince1970: try integer(column))
    }

    func optionalTime(_ column: Int32) throws(StorageError) -> Timestamp? {
        isNull(column) ? nil : try time(column)
    }

    func optionalAttempt(_ column: Int32) throws(StorageError) -> WriteAttempt? {
        isNull(column) ? nil : WriteAttempt(id: try integer(column))
    }

    func flag(_ column: Int32) throws(StorageError) -> Bool {
        switch try integer(column) {
        case 0: return false
        case 1: return true
        default: throw .unreadable(name(of: column))
        }
    }

    func count(_ column: Int32) throws(StorageError) -> Int {
        guard let count = Int(exactly: try integer(column)), count >= 0 else { throw .unreadable(name(of: column)) }
        return count
    }

    func hash(_ column: Int32) throws(StorageError) -> SecretHash {
        SecretHash(stored: try blob(column))
    }

    func optionalHash(_ column: Int32) throws(StorageError) -> SecretHash? {
        isNull(column) ? nil : try hash(column)
    }

    func optionalText(_ column: Int32) throws(StorageError) -> String? {
        isNull(column) ? nil : try text(column)
    }

    func scope(_ column: Int32) throws(StorageError) -> Scope {
        try parsed(column) { text in try Scope(parsing: text) }
    }

    func optionalThumbprint(_ column: Int32) throws(StorageError) -> JWKThumbprint? {
        isNull(column) ? nil : try parsed(column) { text in try JWKThumbprint(text) }
    }

    func strings(_ column: Int32) throws(StorageError) -> [String] {
        let strings = try json(column).arrayValue?.map(\.stringValue) ?? [nil]
        let texts = strings.compactMap(\.self)
        guard texts.count == strings.count else { throw .unreadable(name(of: column)) }
        return texts
    }

    func keySet(_ column: Int32) throws(StorageError) -> JWKSet {
        guard let object = try json(column).objectValue else { throw .unreadable(name(of: column)) }
        do {
            return try JWKSet(parsing: object)
        } catch {
            throw .unreadable(name(of: column), underlying: error)
        }
    }

    func authentication(_ reference: Int32, methods: Int32) throws(StorageError) -> AuthenticationContext {
        AuthenticationContext(reference: try optionalText(reference), methods: try strings(methods))
    }

    func authorizationRequest(_ column: Int32) throws(StorageError) -> AuthorizationRequest {
        guard let object = try json(column).objectValue else { throw .unreadable(name(of: column)) }
        do {
            return try AuthorizationRequest(stored: object)
        } catch {
            throw .unreadable(name(of: column), underlying: error)
        }
    }

    func object(_ column: Int32) throws(StorageError) -> JSONObject {
        guard let object = try json(column).objectValue else { throw .unreadable(name(of: column)) }
        return object
    }

    func authorizationDetails(_ column: Int32) throws(StorageError) -> [AuthorizationDetail] {
        do {
            return try AuthorizationDetail.list(parsing: json(column))
        } catch {
            throw .unreadable(name(of: column), underlying: error)
        }
    }

    func publicKey(_ column: Int32) throws(StorageError) -> JWK {
        guard let object = try json(column).objectValue else { throw .unreadable(name(of: column)) }
        do {
            return try JWK(parsing: object)
        } catch {
            throw .unreadable(name(of: column), underlying: error)
        }
    }

    func codeChallenge(_ column: Int32, method: Int32) throws(StorageError) -> CodeChallenge {
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
#endif
