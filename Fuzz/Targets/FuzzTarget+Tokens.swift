// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import StrictJSON

extension FuzzTarget {
    /// A token that is read has one text only, is within the limit, and verifies with no key but the one that signed it.
    static let jws = FuzzTarget("jws", parts: segments, join: token) { input in
        let text = String(decoding: input, as: UTF8.self)
        guard let jws = try? CompactJWS(parsing: text) else { return }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        Finding.unless(parts.count == 3 && text.utf8.count <= 8192, "not a token of three segments was read")
        Finding.unless(parts[1].elementsEqual(Base64URL.encode(jws.payload).utf8), "the payload is another one")
        Finding.unless(parts[2].elementsEqual(Base64URL.encode(jws.signature).utf8), "the signature is another one")
        Finding.unless(jws.header["alg"]?.stringValue == jws.algorithm.rawValue, "the algorithm is another one")
        Finding.unless(jws.header["crit"] == nil && jws.header["b64"] == nil, "an extension was overlooked")
        Finding.unless(
            jws.signingInput.elementsEqual(text.utf8.dropLast(parts[2].count + 1)),
            "what is signed is not what was sent"
        )
        let isSigned = (try? jws.verify(with: issuerKey, allowing: [.es256, .edDSA])) != nil
        Finding.unless(!isSigned || KnownTokens.originals[input] != nil, "a signature verifies that nobody made")
    }

    /// An access token is accepted only when it is the known one, or its twin.
    static let jwt = FuzzTarget("jwt", parts: segments, join: token) { input in
        let validation = JWTValidation(
            type: "at+jwt",
            issuer: "https://auth.example.com",
            audience: "https://api.example.com",
            algorithms: [.es256, .edDSA]
        )
        let text = String(decoding: input, as: UTF8.self)
        let keys = JWKSet([issuerKey])
        let isAccepted = (try? validation.validate(text, with: keys, at: KnownTokens.now)) != nil
        let isKnown = KnownTokens.originals[input] == KnownTokens.accessJWT
        Finding.unless(
            isAccepted == isKnown,
            isAccepted ? "accepted, but not the known token" : "the known token is refused"
        )
    }

    /// A proof is accepted only when it is a known one, or its twin; and then the replay store knows it.
    static let proof = FuzzTarget("proof", parts: segments, join: token) { input in
        let text = String(decoding: input, as: UTF8.self)
        let original = KnownTokens.originals[input].flatMap { KnownTokens.proofs.contains($0) ? $0 : nil }
        let verifier = ProofVerification(nonces: .off)
        let isAcceptedTogether = try? verifier.isAcceptedTogether(text)
        do {
            let checked = try verifier.check(text)
            Finding.unless(isAcceptedTogether == true, "refused together with others")
            guard let original else { Finding.report("accepted, but no known proof") }
            let store = MemoryReplayStore(capacity: 10, capacityPerKey: 10)
            try verifier.record(verifier.check(original), in: store)
            Finding.unless(
                (try? verifier.record(checked, in: store)) == nil,
                "the twin of a used proof is not recognised"
            )
        } catch let error as DPoPError {
            Finding.unless(error.step != nil, "refused without a step")
            Finding.unless(isAcceptedTogether == false, "accepted together with others")
            // (r, n - s) of Ed25519 is no signature.
            Finding.unless(original != text, "a known proof is refused: \(error)")
        } catch {
            Finding.report("refused with an error of another type: \(error)")
        }
    }

    private static let issuerKey: JWK = {
        let document = (try? JSONValue(parsing: Array(KnownTokens.issuerKeys.utf8)))?.objectValue
        guard let key = document.flatMap({ try? JWKSet(parsing: $0) })?.keys.first else {
            Finding.report("the known key cannot be read")
        }
        return key
    }()

    /// What the three segments of a token encode.
    private static let segments: @Sendable ([UInt8]) -> [[UInt8]]? = { input in
        let parts = input.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let decoded = parts.compactMap { try? Base64URL.decode($0) }
        return decoded.count == 3 && parts.count == 3 ? decoded : nil
    }

    private static let token: @Sendable ([[UInt8]]) -> [UInt8] = { segments in
        Array(segments.map(Base64URL.encodeToBytes).joined(separator: [UInt8(ascii: ".")]))
    }
}
