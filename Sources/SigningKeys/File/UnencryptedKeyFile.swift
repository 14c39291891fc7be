// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(macOS)
import JOSE
import OAuthCrypto
import StrictJSON

/// The contents of an unencrypted key file, version 1: a JSON object.
enum UnencryptedKeyFile {
    private static let format = "keybound-unencrypted-key"
    private static let version: Int64 = 1
    private static let members = ["format", "version", "alias", "algorithm", "privateKey"]

    static func encode(_ key: SoftwareSigningKey, alias: KeyAlias) -> [UInt8] {
        var privateKey = key.privateKeyBytes
        defer { SecretMemory.wipe(&privateKey) }
        let object: JSONObject = [
            "format": .string(format), "version": .number(JSONNumber(version)), "alias": .string(alias.text),
            "algorithm": .string(key.algorithm.rawValue), "privateKey": .string(Base64URL.encode(privateKey)),
        ]
        return JSONValue.object(object).encoded() + [UInt8(ascii: "\n")]
    }

    static func decode(_ bytes: [UInt8], alias: KeyAlias) throws(KeyStoreError) -> SoftwareSigningKey {
        let object = try KeyFileObject(bytes)
        try object.requireFormat(format, version: version, alias: alias)
        try object.requireMembers(members)
        var privateKey = try object.bytes("privateKey", counts: 32...4096)
        defer { SecretMemory.wipe(&privateKey) }
        do {
            return try SoftwareSigningKey(
                privateKeyBytes: privateKey,
                algorithm: SignatureAlgorithm(rawValue: object.string("algorithm")),
                protection: .unencryptedFile
            )
        } catch {
            throw KeyFileObject.malformed("privateKey is not a private key for its algorithm")
        }
    }
}
#endif
