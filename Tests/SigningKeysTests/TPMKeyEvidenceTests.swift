// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import JOSE
import OAuthCrypto
import StrictJSON
import TestSupport
import Testing

@testable import SigningKeys

@Suite("What a TPM states, verified without a TPM")
struct TPMKeyEvidenceTests {
    private static let challenge = [UInt8](repeating: 7, count: 32)

    private let fixture: TPMFixture
    private let key: any SigningKey
    private let attestation: TPMKeyAttestation

    init() async throws {
        fixture = try await TPMFixture()
        let store = try fixture.store()
        key = try await store.loadOrGenerate(alias: fixture.alias)
        attestation = try #require(try await store.attestation(of: fixture.alias, challenge: Self.challenge))
    }

    /// Why the evidence is refused after a change; `nil` if it is good.
    private func refusal(
        challenge: [UInt8] = Self.challenge,
        _ change: (inout JSONObject) -> Void = { _ in }
    ) -> String? {
        var object = attestation.evidence
        change(&object)
        do {
            _ = try TPMKeyEvidence(parsing: object).verify(challenge: challenge)
            return nil
        } catch {
            return error.reason
        }
    }

    private static func text(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.encode(bytes)) }

    @Test func `a statement of the TPM names its key and the key that signed it`() throws {
        let verified = try TPMKeyEvidence(parsing: attestation.evidence).verify(challenge: Self.challenge)
        #expect(verified.key.thumbprint == key.publicKey.thumbprint)
        #expect(verified.attestationKeyName == attestation.attestationKeyName)
        #expect(verified.attestationKeyName.count == 34)
    }

    @Test func `another challenge, another statement or another key is rejected`() async throws {
        #expect(refusal() == nil)
        #expect(refusal(challenge: [1])?.contains("another challenge") == true)
        #expect(
            refusal { $0["signature"] = Self.text(attestation.signature.reversed()) }?.contains("signature") == true
        )
        for index in attestation.statement.indices {
            var changed = attestation.statement
            changed[index] ^= 1
            #expect(refusal { $0["statement"] = Self.text(changed) }?.contains("signature") == true)
        }
        let alias = try KeyAlias("other")
        let store = try fixture.store()
        _ = try await store.loadOrGenerate(alias: alias)
        let other = try #require(try await store.attestation(of: alias, challenge: Self.challenge))
        #expect(refusal { $0["public_area"] = Self.text(other.publicArea) }?.contains("another key") == true)
        for name in ["statement", "signature", "public_area", "attestation_key"] {
            for value in [nil, 1, "", "!", .string(String(repeating: "A", count: 1400))] as [JSONValue?] {
                #expect(refusal { $0[name] = value } != nil, "\(name)")
            }
        }
    }

    /// A statement with valid signature, by a key whose area a test writes.
    private func forged(
        signerAttributes: UInt32,
        keyAttributes: UInt32,
        head: [UInt8]? = nil
    ) async throws -> JSONObject {
        let signer = try TestKey.p256(5)
        let signerArea = try Self.area(of: signer.publicKey, signerAttributes)
        let keyArea = try Self.area(of: key.publicKey, keyAttributes)
        let name = TPMBytes.of(UInt16(0x000B)) + HashAlgorithm.sha256.hash(Array(keyArea.dropFirst(2)))
        var statement = head ?? [0xFF, 0x54, 0x43, 0x47, 0x80, 0x17]
        statement += TPMBytes.sized([]) + TPMBytes.sized(Self.challenge) + [UInt8](repeating: 0, count: 25)
        statement += TPMBytes.sized(name) + TPMBytes.sized([])
        return [
            "statement": Self.text(statement), "signature": Self.text(try await signer.sign(statement)),
            "public_area": Self.text(keyArea), "attestation_key": Self.text(signerArea),
        ]
    }

    private static func area(of key: JWK, _ attributes: UInt32) throws -> [UInt8] {
        let numbers = try ["x", "y"].map { try Base64URL.decode(try #require(key.json[$0]?.stringValue)) }
        return TPMBytes.sized(
            [0x00, 0x23, 0x00, 0x0B] + TPMBytes.of(attributes) + TPMBytes.sized([])
                + [0x00, 0x10, 0x00, 0x18, 0x00, 0x0B, 0x00, 0x03, 0x00, 0x10] + TPMBytes.sized(numbers[0])
                + TPMBytes.sized(numbers[1])
        )
    }

    @Test func `only keys that cannot leave the TPM are believed, and only a restricted one speaks for it`()
        async throws
    {
        let (fixed, sign, restricted, decrypt): (UInt32, UInt32, UInt32, UInt32) = (0x32, 1 << 18, 1 << 16, 1 << 17)
        func refusal(_ signer: UInt32, _ key: UInt32, head: [UInt8]? = nil) async throws -> String? {
            let object = try await forged(signerAttributes: signer, keyAttributes: key, head: head)
            do {
                _ = try TPMKeyEvidence(parsing: object).verify(challenge: Self.challenge)
                return nil
            } catch {
                return error.reason
            }
        }
        let (good, held) = (fixed | sign | restricted, fixed | sign)
        #expect(try await refusal(good, held) == nil)
        for missing in [0x02, 0x10, 0x20, restricted, sign] as [UInt32] {
            #expect(try await refusal(good & ~missing, held)?.contains("attestation key") == true)
        }
        #expect(try await refusal(good | decrypt, held)?.contains("attestation key") == true)
        for missing in [0x02, 0x10, 0x20, sign] as [UInt32] {
            #expect(try await refusal(good, held & ~missing)?.contains("can leave") == true)
        }
        // Another kind of statement, and what no TPM made.
        for head in [[0xFF, 0x54, 0x43, 0x47, 0x80, 0x18], [0xFE, 0x54, 0x43, 0x47, 0x80, 0x17]] as [[UInt8]] {
            #expect(try await refusal(good, held, head: head)?.contains("not about a key") == true)
        }
    }
}
#endif
