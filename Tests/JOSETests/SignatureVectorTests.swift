// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 7518 section 3, RFC 8032 section 5.1.7, RFC 8017 section 8: signatures and keys at the edges")
struct SignatureVectorTests {
    /// How many there are: accepted, refused for the signature, refused for the key, refused for either.
    private static let counts: [(SignatureAlgorithm, [Int])] = [
        (.es256, [19, 110, 29, 0]),
        (.es384, [19, 110, 29, 0]),
        (.es512, [19, 113, 29, 0]),
        (.edDSA, [4, 55, 42, 6]),
        (.ed25519, [4, 55, 42, 6]),
        (.rs256, [10, 71, 20, 0]),
        (.rs384, [2, 60, 0, 0]),
        (.rs512, [10, 69, 0, 0]),
        (.ps256, [10, 56, 20, 0]),
        (.ps384, [2, 48, 0, 0]),
        (.ps512, [10, 57, 0, 0]),
    ]

    @Test func `every algorithm has its tokens`() {
        #expect(Set(Self.counts.map(\.0.rawValue)) == Set(AlgorithmTests.names))
    }

    @Test(arguments: counts)
    func `attacks 75, 76 and 79, each token is accepted or refused as it must be`(
        algorithm: SignatureAlgorithm,
        counts: [Int]
    ) throws {
        let vectors = SignatureVector.all(of: algorithm)
        let outcomes: [SignatureVector.Outcome] = [.accepted, .signature, .key, .refused]
        #expect(outcomes.map { outcome in vectors.filter { $0.outcome == outcome }.count } == counts)
        for vector in vectors {
            #expect(vector.outcome.allows(Self.verdict(on: vector)), "\(vector)")
        }
    }

    /// A proof's key is read without looking at the curve: the verification itself must find it out.
    @Test(arguments: counts.map(\.0))
    func `attack 75, a signature is rejected too where the key was not checked before`(
        algorithm: SignatureAlgorithm
    ) throws {
        for vector in SignatureVector.all(of: algorithm) {
            let jws = try CompactJWS(parsing: vector.jws)
            let key = try? JWK(parsingUnchecked: vector.jwk)
            let isValid = key?.isValidSignature(jws.signature, for: jws.signingInput, algorithm: algorithm) ?? false
            #expect(isValid == (vector.outcome == .accepted), "\(vector)")
        }
    }

    @Test(arguments: counts.map(\.0))
    func `a key that is rejected is left out of a set`(algorithm: SignatureAlgorithm) throws {
        for vector in SignatureVector.all(of: algorithm) where vector.outcome == .key {
            #expect(try JWKSet(parsing: ["keys": [.object(vector.jwk)]]).keys.isEmpty, "\(vector)")
        }
    }

    private static func verdict(on vector: SignatureVector) -> JOSEError.Code? {
        errorCode {
            let jws = try CompactJWS(parsing: vector.jws)
            try jws.verify(with: JWK(parsing: vector.jwk), allowing: [vector.algorithm])
        }
    }
}

extension SignatureVector.Outcome {
    fileprivate func allows(_ code: JOSEError.Code?) -> Bool {
        switch self {
        case .accepted: code == nil
        case .signature: code == .invalidSignature
        case .key: code == .malformedKey
        case .refused: code == .invalidSignature || code == .malformedKey
        }
    }
}
