// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 7518 section 3, RFC 8037, RFC 9864: tokens of another implementation", .computesForLong)
struct AlgorithmTests {
    static let names = [
        "ES256", "ES384", "ES512", "EdDSA", "Ed25519", "RS256", "PS256", "RS384", "PS384", "RS512", "PS512",
    ]
    private static let vectors = PeerVector.accepted

    @Test func `there is a token of every algorithm`() {
        #expect(Self.vectors.map(\.description) == Self.names)
        #expect(PeerVector.refused.count == 12)
        #expect(Set(SignatureAlgorithm.all.map(\.rawValue)) == Set(Self.names))
    }

    @Test(arguments: vectors)
    func `it verifies with its own algorithm only`(vector: PeerVector) throws {
        let jws = try CompactJWS(parsing: vector.jws)
        let key = try JWK(parsing: vector.jwk)
        #expect(key.json == vector.jwk)
        try jws.verify(with: key, allowing: [jws.algorithm])
        #expect(try jws.payloadObject() == ["from": "another implementation"])
        let others = Set(Self.names.map { SignatureAlgorithm(rawValue: $0) }).subtracting([jws.algorithm])
        #expect(errorCode { try jws.verify(with: key, allowing: others) } == .algorithmNotAllowed)
        for other in others {
            #expect(!key.isValidSignature(jws.signature, for: jws.signingInput, algorithm: other) || other.isSame(jws))
        }
        for name in ["none", "HS256", "HS384", "HS512", "ES256K", "Ed448", "ESP256", "RS1", ""] {
            #expect(!key.fits(SignatureAlgorithm(rawValue: name)))
        }
    }

    @Test(arguments: vectors)
    func `it does not verify with the keys of other types, nor with another of the same`(vector: PeerVector) throws {
        let jws = try CompactJWS(parsing: vector.jws)
        for other in Self.vectors where other.jwk != vector.jwk {
            let key = try JWK(parsing: other.jwk)
            #expect(errorCode { try jws.verify(with: key, allowing: [jws.algorithm]) } == .algorithmNotAllowed)
        }
        guard vector.jwk["kty"] != "RSA" else { return }
        let another = try SoftwareSigningKey(generating: jws.algorithm).publicKey
        #expect(errorCode { try jws.verify(with: another, allowing: [jws.algorithm]) } == .invalidSignature)
    }

    @Test(arguments: vectors)
    func `a key whose alg is another one does not fit`(vector: PeerVector) throws {
        let algorithm = SignatureAlgorithm(rawValue: vector.description)
        let key = try JWK(parsing: vector.jwk)
        #expect(key.named("a", algorithm: algorithm).fits(algorithm))
        for name in Self.names where name != vector.description {
            #expect(!key.named("a", algorithm: SignatureAlgorithm(rawValue: name)).fits(algorithm))
        }
    }

    @Test(arguments: vectors)
    func `attack 79, changed, cut and longer signatures are rejected`(vector: PeerVector) throws {
        let algorithm = SignatureAlgorithm(rawValue: vector.description)
        let key = try JWK(parsing: vector.jwk)
        let count = try CompactJWS(parsing: vector.jws).signature.count
        var changes: [(inout [UInt8]) -> Void] = [
            { $0 = [] }, { $0 = Array($0.dropLast()) }, { $0 = Array($0.dropFirst()) }, { $0 += [0] },
            { $0 = [0] + $0 }, { $0 = $0 + $0 }, { $0 = Array($0.prefix($0.count / 2)) },
            { $0 = [UInt8](repeating: 0, count: $0.count) }, { $0 = [UInt8](repeating: 0xFF, count: $0.count) },
            { $0 = [UInt8](repeating: 0, count: $0.count - 1) + [1] },
        ]
        for bit in stride(from: 0, to: count * 8, by: 7) {
            changes.append { $0[bit / 8] ^= 0x80 >> UInt8(bit % 8) }
        }
        for change in changes {
            let jws = try CompactJWS(parsing: RawJWS.changingSignature(of: vector.jws, change))
            #expect(errorCode { try jws.verify(with: key, allowing: [algorithm]) } == .invalidSignature)
        }
    }

    @Test(arguments: vectors)
    func `attack 79, another message does not verify`(vector: PeerVector) throws {
        let jws = try CompactJWS(parsing: vector.jws)
        let key = try JWK(parsing: vector.jwk)
        for message in [[], [0] + jws.signingInput, jws.signingInput + [0], Array(jws.signingInput.dropLast())] {
            #expect(!key.isValidSignature(jws.signature, for: message, algorithm: jws.algorithm))
        }
    }

    @Test(arguments: PeerVector.refused)
    func `RFC 7518 sections 3_3 and 3_5, other padding, hash function or salt length is rejected`(
        vector: PeerVector
    ) throws {
        let jws = try CompactJWS(parsing: vector.jws)
        let key = try JWK(parsing: vector.jwk)
        #expect(errorCode { try jws.verify(with: key, allowing: [jws.algorithm]) } == .invalidSignature)
    }

    @Test(arguments: vectors)
    func `the private key of the other implementation is read, written and signs what verifies`(
        vector: PeerVector
    ) async throws {
        let algorithm = SignatureAlgorithm(rawValue: vector.description)
        let key = try SoftwareSigningKey(
            privateKeyBytes: vector.privateKey,
            algorithm: algorithm,
            protection: .memory
        )
        #expect(try key.publicKey == JWK(parsing: vector.jwk))
        let again = try SoftwareSigningKey(
            privateKeyBytes: key.privateKeyBytes,
            algorithm: algorithm,
            protection: .memory
        )
        #expect(again.publicKey == key.publicKey && again.privateKeyBytes == key.privateKeyBytes)
        let theirs = try CompactJWS(parsing: vector.jws)
        let text = try await CompactJWS.sign(header: [:], payload: theirs.payload, with: key)
        try CompactJWS(parsing: text).verify(with: key.publicKey, allowing: [algorithm])
        // These are deterministic: whoever signs, the bytes are the same.
        #expect((text == vector.jws) == ["EdDSA", "Ed25519", "RS256", "RS384", "RS512"].contains(vector.description))
        #expect(key.publicKey.isValidSignature(try await key.sign([]), for: [], algorithm: algorithm))
    }
}

extension SignatureAlgorithm {
    /// Whether it is the algorithm of a token under its other name.
    fileprivate func isSame(_ jws: CompactJWS) -> Bool {
        Set([self, jws.algorithm]) == [.edDSA, .ed25519]
    }
}
