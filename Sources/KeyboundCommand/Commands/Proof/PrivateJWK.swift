// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON

/// An unencrypted private key in a file, as other tools write it (RFC 7518 sections 6.2.2 and 6.3.2, RFC 8037 section
/// 2).
enum PrivateJWK {
    private static let maximumSize = 65_536

    /// Opens the key; it signs with the algorithm that it names, or with the default of its type.
    static func key(in path: String) throws -> SoftwareSigningKey {
        try key(in: InputFile.read(path, limit: maximumSize, isSecret: true), of: path).key
    }

    /// Opens the key of a client, which stays in its file: others must have no access to it.
    ///
    /// - Parameter path: The file.
    /// - Returns: The key, and its `kid`, by which a server finds the public key.
    /// - Throws: ``CommandFailure``.
    static func clientKey(in path: String) throws -> (key: SoftwareSigningKey, keyID: String?) {
        try key(in: InputFile.secret(path, limit: maximumSize), of: path)
    }

    private static func key(in bytes: [UInt8], of path: String) throws -> (key: SoftwareSigningKey, keyID: String?) {
        guard let object = try? JSONValue(parsing: bytes).objectValue, object["d"] != nil else {
            throw CommandFailure(
                .failure,
                "\(path) is not a private key as JWK",
                hint: "it needs the members kty and d, and those of the public key"
            )
        }
        do {
            return (try key(object), object["kid"]?.stringValue)
        } catch {
            throw CommandFailure(.failure, "the key in \(path) cannot be used: \(error.reason)")
        }
    }

    private static func key(_ object: JSONObject) throws(JOSEError) -> SoftwareSigningKey {
        let published = try JWK(parsing: publicHalf(of: object))
        guard let algorithm = published.algorithm ?? usualAlgorithm(of: object) else {
            throw JOSEError(.algorithmNotAllowed, "no algorithm is known for its type")
        }
        guard published.fits(algorithm) else {
            throw JOSEError(.algorithmNotAllowed, "\(algorithm) does not fit its type")
        }
        let key = try SoftwareSigningKey(
            privateKeyBytes: object["kty"] == "RSA" ? RSAPrivateKeyInfo.bytes(of: object) : octets("d", of: object),
            algorithm: algorithm,
            protection: .unencryptedFile
        )
        guard key.publicKey.thumbprint == published.thumbprint else {
            throw JOSEError(.malformedKey, "the private key does not match the public key")
        }
        return key
    }

    /// The public key must not carry `key_ops` of the private key, such as `sign`.
    private static func publicHalf(of object: JSONObject) throws(JOSEError) -> JSONObject {
        var publicHalf = object
        for name in ["d", "p", "q", "dp", "dq", "qi"] { publicHalf[name] = nil }
        if let operations = object["key_ops"] {
            guard operations.arrayValue?.contains("sign") ?? false else {
                throw JOSEError(.malformedKey, "it is not for signing ('key_ops')")
            }
            publicHalf["key_ops"] = nil
        }
        return publicHalf
    }

    private static func usualAlgorithm(of object: JSONObject) -> SignatureAlgorithm? {
        switch (object["kty"], object["crv"]) {
        case ("EC", "P-256"): .es256
        case ("EC", "P-384"): .es384
        case ("EC", "P-521"): .es512
        case ("OKP", _): .edDSA
        case ("RSA", _): .ps256
        default: nil
        }
    }

    /// A member in base64url.
    static func octets(_ name: String, of object: JSONObject) throws(JOSEError) -> [UInt8] {
        guard let text = object[name]?.stringValue, let octets = try? Base64URL.decode(text) else {
            throw JOSEError(.malformedKey, "it has no member '\(name)' in base64url")
        }
        return octets
    }
}
