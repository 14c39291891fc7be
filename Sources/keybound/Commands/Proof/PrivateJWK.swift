// SPDX-License-Identifier: Apache-2.0

import JOSE

/// A private key in a file that holds it in clear, as other tools write it (RFC 7518 section 6.2.2).
enum PrivateJWK {
    static func key(in path: String) throws -> SoftwareSigningKey {
        guard let object = try? JSONValue(parsing: InputFile.read(path, limit: 65_536)).objectValue,
            let encoded = object["d"]?.stringValue, let privateKey = try? Base64URL.decode(encoded)
        else {
            _ = try InputFile.read(path, limit: 65_536)
            throw CommandFailure(
                .failure,
                "\(path) is not a private key as JWK",
                hint: "it has the members kty, crv, x, y and d"
            )
        }
        var publicHalf = object
        publicHalf["d"] = nil
        let published = try JWK(parsing: publicHalf)
        let key = try SoftwareSigningKey(privateKeyBytes: privateKey, algorithm: .es256, protection: .unencryptedFile)
        guard key.publicKey.thumbprint == published.thumbprint else {
            throw CommandFailure(.failure, "the two halves of the key in \(path) do not belong together")
        }
        return key
    }
}
