// SPDX-License-Identifier: Apache-2.0

import OAuthCrypto
import Testing

@Suite("RFC 4231: HMAC with SHA-256, SHA-384 and SHA-512")
struct HMACKeyTests {
    private let message = Array("what do ya want for nothing?".utf8)

    private static let codes: [(HashAlgorithm, String)] = [
        (.sha256, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        (
            .sha384,
            """
            af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649
            """
        ),
        (
            .sha512,
            """
            164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554
            9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737
            """
        ),
    ]

    @Test(arguments: codes)
    func `test case 2`(hash: HashAlgorithm, code: String) {
        let key = HMACKey(Array("Jefe".utf8), hash: hash)
        let code = octets(code)
        #expect(code.count == hash.digestCount)
        #expect(key.authenticationCode(for: message) == code)
        #expect(key.isValidAuthenticationCode(code, for: message))
        #expect(!key.isValidAuthenticationCode(code, for: message + [0]))
        #expect(!key.isValidAuthenticationCode(Array(code.dropLast()), for: message))
        #expect(!key.isValidAuthenticationCode([], for: message))
        for index in code.indices {
            var changed = code
            changed[index] ^= 1
            #expect(!key.isValidAuthenticationCode(changed, for: message))
        }
    }

    @Test(arguments: HashAlgorithm.allCases)
    func `an empty message and an empty secret have codes too`(hash: HashAlgorithm) {
        let code = HMACKey([], hash: hash).authenticationCode(for: [])
        #expect(code.count == hash.digestCount)
        #expect(HMACKey([1], hash: hash).authenticationCode(for: []) != code)
    }
}
