// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCrypto
import StrictJSON

extension FuzzTarget {
    /// A key that is read has no private member, and reads as it was when it is written; its thumbprint is that of RFC 7638.
    static let jwk = FuzzTarget("jwk") { input in
        guard let object = (try? JSONValue(parsing: input))?.objectValue else { return }
        let key: JWK
        do throws(JOSEError) {
            key = try JWK(parsing: object)
        } catch {
            Finding.unless(error.code == .malformedKey, "refused with the wrong code \(error.code)")
            return
        }
        Finding.unless((try? JWK(parsingUnchecked: object)) == key, "the unchecked reader reads otherwise")
        check(key)
        for name in ["d", "p", "q", "dp", "dq", "qi", "oth", "k"] {
            Finding.unless(object[name] == nil, "a key with the private member \(name) was read")
        }
        for name in ["kty", "crv", "x", "y", "n", "e"] where key.json[name] != nil {
            Finding.unless(key.json[name] == object[name], "the member \(name) is written otherwise")
        }
    }

    /// Every key of a set is one that is read alone, and the set reads as it was when it is written.
    static let jwkSet = FuzzTarget("jwk-set") { input in
        guard let object = (try? JSONValue(parsing: input))?.objectValue, let set = try? JWKSet(parsing: object) else {
            return
        }
        Finding.unless(set.keys.count <= 100, "a set of more than 100 keys was read")
        Finding.unless((try? JWKSet(parsing: set.json)) == set, "a set reads otherwise when it is written again")
        let alone = object["keys"]?.arrayValue?.compactMap { $0.objectValue.flatMap { try? JWK(parsing: $0) } }
        Finding.unless(alone == set.keys, "a key of the set is not what it is alone")
    }

    static func check(_ key: JWK) {
        guard let again = try? JWK(parsing: key.json) else { Finding.report("a key that was written is refused") }
        Finding.unless(again == key, "a key reads otherwise when it is written again")
        Finding.unless(again.thumbprint == key.thumbprint, "the thumbprint changes when the key is written")
        // RFC 7638 section 3: the required members, sorted, without white space.
        let required = key.json.members.filter { ["crv", "e", "kty", "n", "x", "y"].contains($0.name) }
            .sorted { $0.name < $1.name }
            .map { "\"\($0.name)\":\"\($0.value.stringValue ?? "")\"" }
        let digest = SHA256.hash(Array("{\(required.joined(separator: ","))}".utf8)).bytes
        Finding.unless(key.thumbprint.description == Base64URL.encode(digest), "the thumbprint is not that of RFC 7638")
    }
}
