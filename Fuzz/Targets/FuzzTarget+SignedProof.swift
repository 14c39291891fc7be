// SPDX-License-Identifier: Apache-2.0

import DPoP
import Foundation
import JOSE
import OAuthCrypto
import OAuthSystem
import StrictJSON

extension FuzzTarget {
    /// Header and payload, on a line each, are signed well, as any client can: what gets in holds by another reading too.
    ///
    /// The other reading is Foundation's of JSON and of URLs.
    static let signedProof = FuzzTarget("signed-proof") { input in
        let lines = input.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        guard lines.count == 2 else { return }
        let (header, payload) = (Array(lines[0]), Array(lines[1]))
        let signed = Base64URL.encodeToBytes(header) + [UInt8(ascii: ".")] + Base64URL.encodeToBytes(payload)
        let proof = String(decoding: signed, as: UTF8.self) + "." + Base64URL.encode(signature(of: signed))
        for policy in [DPoPNoncePolicy.off, .onSkew] {
            do {
                let checked = try ProofVerification(nonces: policy).check(proof)
                checkHeader(header)
                checkClaims(payload)
                Finding.unless(checked.thumbprint == checked.key.thumbprint, "the thumbprint is that of another key")
            } catch let error as DPoPError {
                Finding.unless(error.step != nil && error.step != .signature || !isKeyOurs(header), "\(error)")
            } catch {
                Finding.report("refused with an error of another type: \(error)")
            }
        }
    }

    private static func signature(of message: [UInt8]) -> [UInt8] {
        let key = try? Ed25519PrivateKey(rawRepresentation: [UInt8](repeating: 1, count: 32))
        guard let signature = try? key?.signature(for: message) else { Finding.report("the known key does not sign") }
        return signature
    }

    private static func object(_ text: [UInt8]) -> [String: Any]? {
        try? JSONSerialization.jsonObject(with: Data(text)) as? [String: Any]
    }

    private static func isKeyOurs(_ header: [UInt8]) -> Bool {
        (object(header)?["jwk"] as? [String: Any])?["x"] as? String == KnownTokens.publicKeyX
    }

    private static func checkHeader(_ text: [UInt8]) {
        let header = object(text) ?? [:]
        let type = (header["typ"] as? String)?.lowercased() ?? ""
        Finding.unless(["dpop+jwt", "application/dpop+jwt"].contains(type), "accepted with typ \(type)")
        let algorithm = header["alg"] as? String ?? ""
        Finding.unless(["EdDSA", "Ed25519"].contains(algorithm), "accepted with alg \(algorithm)")
        Finding.unless(isKeyOurs(text), "accepted with another key")
        let key = header["jwk"] as? [String: Any]
        Finding.unless(key?["d"] == nil && key?["k"] == nil, "accepted with a private key")
        Finding.unless(header["crit"] == nil, "accepted with a critical extension")
    }

    private static func checkClaims(_ text: [UInt8]) {
        let claims = object(text) ?? [:]
        Finding.unless(claims["htm"] as? String == KnownTokens.method, "accepted with another method")
        Finding.unless(claims["ath"] as? String == KnownTokens.accessTokenHash, "accepted with another ath")
        let identifier = claims["jti"] as? String ?? ""
        Finding.unless(
            (1...256).contains(identifier.utf8.count),
            "accepted with a jti of \(identifier.utf8.count) bytes"
        )
        let now = Double(KnownTokens.now.secondsSince1970)
        // No input holds a nonce that was given out, so the time decides.
        let issued = (claims["iat"] as? NSNumber)?.doubleValue ?? 0
        Finding.unless(issued >= now - 300 && issued < now + 31, "accepted with iat \(issued)")
        let expiry = (claims["exp"] as? NSNumber)?.doubleValue ?? now
        Finding.unless(expiry > now - 30, "accepted with exp \(expiry)")
        let start = (claims["nbf"] as? NSNumber)?.doubleValue ?? now
        Finding.unless(start < now + 31, "accepted with nbf \(start)")
        checkURI(claims["htu"] as? String ?? "")
    }

    private static func checkURI(_ text: String) {
        guard let url = URLComponents(string: text) else { Finding.report("accepted with htu \(text)") }
        Finding.unless(url.scheme?.lowercased() == "https", "accepted with the scheme of \(text)")
        Finding.unless(url.host?.lowercased() == "api.example.com", "accepted with the host of \(text)")
        Finding.unless(url.port == nil || url.port == 443, "accepted with the port of \(text)")
        Finding.unless(url.user == nil && url.password == nil, "accepted with the user of \(text)")
        let names = url.path.split(separator: "/", omittingEmptySubsequences: false)
        Finding.unless(names.last == "me", "accepted with the path of \(text)")
    }
}
