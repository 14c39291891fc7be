// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import OAuthCrypto
import StrictJSON

/// The contents of the file of a TPM key, version 1: a JSON object.
///
/// It contains no secret.
enum TPMKeyFile {
    private static let format = "keybound-tpm-key"
    private static let version: Int64 = 1
    private static let members = ["format", "version", "alias", "algorithm", "parent", "public", "private", "check"]

    static func encode(_ blob: TPMBlob, alias: KeyAlias) -> [UInt8] {
        var object = contents(blob, alias)
        object["check"] = .string(check(object))
        return JSONValue.object(object).encoded() + [UInt8(ascii: "\n")]
    }

    static func decode(_ bytes: [UInt8], alias: KeyAlias) throws(KeyStoreError) -> TPMBlob {
        let object = try KeyFileObject(bytes)
        try object.requireFormat(format, version: version, alias: alias)
        try object.requireMembers(members)
        guard let curve = try TPMCurve(SignatureAlgorithm(rawValue: object.string("algorithm"))) else {
            throw KeyFileObject.malformed("its algorithm is not known")
        }
        let publicBytes = try object.bytes("public", counts: 1...512)
        guard let publicArea = TPMPublicArea(publicBytes, .signing(curve, alias)) else {
            throw KeyFileObject.malformed("public is not the public area of a key of this alias")
        }
        let blob = TPMBlob(
            publicArea: publicArea,
            privateArea: try object.bytes("private", counts: 1...1024),
            parentName: try object.bytes("parent", counts: 34...34)
        )
        // The TPM detects changes too, but cannot distinguish them from a key of another TPM.
        guard try object.string("check") == check(contents(blob, alias)) else {
            throw KeyFileObject.malformed("it was changed or damaged")
        }
        return blob
    }

    private static func contents(_ blob: TPMBlob, _ alias: KeyAlias) -> JSONObject {
        [
            "format": .string(format), "version": .number(JSONNumber(version)), "alias": .string(alias.text),
            "algorithm": .string(blob.publicArea.curve.algorithm.rawValue),
            "parent": .string(Base64URL.encode(blob.parentName)),
            "public": .string(Base64URL.encode(blob.publicArea.encoded)),
            "private": .string(Base64URL.encode(blob.privateArea)),
        ]
    }

    private static func check(_ object: JSONObject) -> String {
        Base64URL.encode(HashAlgorithm.sha256.hash(JSONValue.object(object).encoded()))
    }
}
#endif
