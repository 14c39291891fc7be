// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON
import Testing

@Suite("OpenID Connect Core sections 3.1.3.6 and 3.3.2.11: at_hash and c_hash")
struct HalfHashTests {
    @Test func `the example of OpenID Connect Core section A.3 and A.4`() {
        #expect(
            SignatureAlgorithm.rs256.halfHash(of: "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y")
                == "77QmUPtjPfzWtF2AnpK9RQ"
        )
        #expect(
            SignatureAlgorithm.rs256.halfHash(of: "Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk")
                == "LDktKdoQak3Pk0cnXxCltA"
        )
    }

    private static let codes = ["HS256", "HS384", "HS512"].map { SignatureAlgorithm(rawValue: $0) }

    @Test(arguments: SignatureAlgorithm.all.union(codes))
    func `its size is that of half the hash of the algorithm`(_ algorithm: SignatureAlgorithm) throws {
        let sizes = ["256": 16, "384": 24, "512": 32]
        let half = try #require(algorithm.halfHash(of: "token"))
        // EdDSA is used with Ed25519 only, which hashes with SHA-512.
        #expect(try Base64URL.decode(half).count == sizes[String(algorithm.rawValue.suffix(3))] ?? 32)
    }

    @Test func `what is no algorithm of ours has none`() {
        for name in ["none", "ES256K", "X256", ""] {
            #expect(SignatureAlgorithm(rawValue: name).halfHash(of: "token") == nil)
        }
    }
}
