// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON
import TestSupport
import Testing

@Suite("RFC 7518 section 3.2: codes of a client's secret")
struct ClientSecretKeyTests {
    private static let algorithms: [MACAlgorithm] = [.hs256, .hs384, .hs512]
    private let secret = [UInt8](repeating: 0xAB, count: 64)

    @Test(arguments: algorithms)
    func `what it makes it verifies, and nothing else`(algorithm: MACAlgorithm) throws {
        let key = try ClientSecretKey(secret: secret, algorithm: algorithm)
        let text = key.authenticate(header: ["typ": "JWT", "alg": "none"], payload: [1, 2, 3])
        let message = try CompactJWS(parsing: text)
        #expect(message.header == ["typ": "JWT", "alg": .string(algorithm.rawValue)])
        #expect(message.signature.count == algorithm.minimumSecretCount)
        try key.verify(message)
        let other = try ClientSecretKey(secret: secret.dropLast() + [1], algorithm: algorithm)
        #expect(errorCode { try other.verify(message) } == .invalidSignature)
        let changes: [(inout [UInt8]) -> Void] = [
            { $0 = [] }, { $0.removeLast() }, { $0 += [0] }, { $0[0] ^= 1 }, { $0[$0.count - 1] ^= 0x80 },
        ]
        for change in changes {
            let changed = try CompactJWS(parsing: RawJWS.changingSignature(of: text, change))
            #expect(errorCode { try key.verify(changed) } == .invalidSignature)
        }
    }

    @Test func `RFC 2104, zeros that fill a secret up to a block do not change its codes`() throws {
        let key = try ClientSecretKey(
            secret: Array("Jefe".utf8) + [UInt8](repeating: 0, count: 60),
            algorithm: .hs256
        )
        let text = key.authenticate(header: [:], payload: Array("x".utf8))
        try key.verify(CompactJWS(parsing: text))
        let longer = try ClientSecretKey(
            secret: Array("Jefe".utf8) + [UInt8](repeating: 0, count: 28),
            algorithm: .hs256
        )
        try longer.verify(CompactJWS(parsing: text))
    }

    @Test(arguments: algorithms)
    func `another algorithm is rejected before the code is looked at`(algorithm: MACAlgorithm) throws {
        let key = try ClientSecretKey(secret: secret, algorithm: algorithm)
        for other in Self.algorithms where other != algorithm {
            let text = try ClientSecretKey(secret: secret, algorithm: other).authenticate(header: [:], payload: [])
            let message = try CompactJWS(parsing: text)
            #expect(errorCode { try key.verify(message) } == .algorithmNotAllowed)
        }
    }

    @Test(arguments: algorithms)
    func `a secret that is shorter than the code is rejected`(algorithm: MACAlgorithm) {
        let short = [UInt8](repeating: 1, count: algorithm.minimumSecretCount - 1)
        #expect(errorCode { try ClientSecretKey(secret: short, algorithm: algorithm) } == .malformedKey)
        #expect(errorCode { try ClientSecretKey(secret: short + [1], algorithm: algorithm) } == nil)
    }

    @Test func `attacks 53 and 109, a code keyed with a public key never verifies with that key`() throws {
        for vector in PeerVector.accepted {
            let key = try JWK(parsing: vector.jwk)
            let secrets = [JSONValue.object(vector.jwk).encoded() + secret]
            for algorithm in Self.algorithms {
                for secret in secrets {
                    let text = try ClientSecretKey(secret: secret, algorithm: algorithm)
                        .authenticate(header: [:], payload: [])
                    let message = try CompactJWS(parsing: text)
                    #expect(
                        errorCode { try message.verify(with: key, allowing: [message.algorithm]) }
                            == .algorithmNotAllowed
                    )
                }
            }
        }
    }

    @Test func `printing it does not show the secret`() throws {
        let key = try ClientSecretKey(secret: secret, algorithm: .hs256)
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(!text.contains("171"))
        }
    }
}
