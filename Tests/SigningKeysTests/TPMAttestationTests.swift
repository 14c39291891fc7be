// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import JOSE
import TestSupport
import Testing

@testable import SigningKeys

@Suite("What a TPM states about its keys")
struct TPMAttestationTests {
    private static let challenge = Array("a challenge".utf8)
    /// What makes the attestation key with tools of others.
    private static let attributes = "fixedtpm|fixedparent|sensitivedataorigin|userwithauth|noda|restricted|sign"

    private let fixture: TPMFixture

    init() async throws {
        fixture = try await TPMFixture()
    }

    private func write(_ octets: [UInt8], _ name: String) throws {
        try Data(octets).write(to: URL(fileURLWithPath: fixture.directory.path + "/tpm/" + name))
    }

    private func read(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: URL(fileURLWithPath: fixture.directory.path + "/tpm/" + name)))
    }

    private func attestation(_ challenge: [UInt8] = Self.challenge) async throws -> TPMKeyAttestation {
        let store = try fixture.store()
        _ = try await store.loadOrGenerate(alias: fixture.alias)
        return try #require(try await store.attestation(of: fixture.alias, challenge: challenge))
    }

    @Test(arguments: [0, 1, 32])
    func `names the key, has the challenge, and is signed by the attestation key`(count: Int) async throws {
        let challenge = [UInt8](repeating: 7, count: count)
        let attestation = try await attestation(challenge)
        let key = try TPMKeyFile.decode(fixture.directory.contents("app.key"), alias: fixture.alias).publicArea
        #expect(
            TPMStatement(attestation.statement) == TPMStatement(challenge: challenge, name: key.name)
        )
        #expect(attestation.publicArea == key.encoded)
        #expect(
            attestation.attestationKey.isValidSignature(
                attestation.signature,
                for: attestation.statement,
                algorithm: .es256
            )
        )
        #expect(try await fixture.tpm.expect("tpm2_getcap handles-transient") == "")
    }

    /// What the documentation tells a verifier to do.
    @Test func `tools of others check it, and that the attestation key is one of the TPM`() async throws {
        let attestation = try await attestation()
        let tpm = fixture.tpm
        try write(attestation.statement, "statement")
        try write(ECDSASigValue.encode(attestation.signature), "signature")
        // The maker's key, for which a credential is encrypted that only the TPM with this attestation key opens.
        try await tpm.expect("tpm2_createek -G ecc -c ek.ctx -u ek.pub")
        try await tpm.expect("tpm2_flushcontext -t")
        try await tpm.expect(
            "tpm2_createprimary -C e -G ecc256:ecdsa-sha256:null -a \(Self.attributes) -c ak.ctx"
        )
        try await tpm.expect("tpm2_flushcontext -t")
        try await tpm.expect("tpm2_readpublic -c ak.ctx -o again.pub -n ak.name")
        try await tpm.expect("tpm2_flushcontext -t")
        try await tpm.expect("tpm2_readpublic -c ak.ctx -f pem -o ak.pem")
        try await tpm.expect("tpm2_flushcontext -t")
        #expect(try read("again.pub") == attestation.attestationKeyArea)
        #expect(try read("ak.name") == attestation.attestationKeyName)
        try write(Array("secret".utf8), "secret")
        let name = attestation.facts.first { $0.name == "attestation key name" }?.value ?? ""
        try await tpm.expect("tpm2_makecredential -T none -u ek.pub -s secret -n \(name) -o credential")
        try await tpm.expect("tpm2_startauthsession --policy-session -S session")
        try await tpm.expect("tpm2_policysecret -S session -c e")
        try await tpm.expect("tpm2_activatecredential -c ak.ctx -C ek.ctx -i credential -o opened -P session:session")
        #expect(try read("opened") == Array("secret".utf8))
        try await tpm.expect("tpm2_flushcontext session")
        try await tpm.expect("tpm2_flushcontext -t")
        // The signature, with the key as these tools know it.
        let answer = try await tpm.expect("openssl dgst -sha256 -verify ak.pem -signature signature statement")
        #expect(answer == "Verified OK\n")
    }

    @Test func `the alias of a key is found in the files, whatever else is there, and without the TPM`() async throws {
        let store = try fixture.store()
        let key = try await store.loadOrGenerate(alias: fixture.alias)
        try fixture.directory.write(Array("damaged".utf8), to: "a.key")
        await fixture.tpm.stop()
        #expect(try await store.alias(of: key.publicKey) == fixture.alias)
        let stranger = try await MemoryKeyStore().loadOrGenerate(alias: fixture.alias)
        #expect(try await store.alias(of: stranger.publicKey) == nil)
    }

    @Test func `the attestation key stays the same, also when the owner clears the TPM`() async throws {
        let before = try await attestation()
        try await fixture.tpm.expect("tpm2_clear -c p")
        try await fixture.store().delete(fixture.alias)
        let after = try await attestation()
        #expect(after.attestationKeyArea == before.attestationKeyArea)
        #expect(after.publicArea != before.publicArea)
    }

    @Test func `nothing is stated of no key, with too long a challenge, or without the authorization`() async throws {
        let (store, alias) = (try fixture.store(), fixture.alias)
        #expect(try await store.attestation(of: alias, challenge: Self.challenge) == nil)
        let long = [UInt8](repeating: 1, count: 33)
        #expect(await failure { _ = try await store.attestation(of: alias, challenge: long) } == .invalidSecret)
        _ = try await attestation()
        try await fixture.tpm.expect("tpm2_changeauth -c e value")
        let refused = await failure { _ = try await store.attestation(of: alias, challenge: Self.challenge) }
        #expect(refused == .wrongPIN)
        #expect(try await fixture.tpm.expect("tpm2_getcap handles-transient") == "")
    }

    @Test func `a statement that is not what was asked for is rejected`() async throws {
        let attestation = try await attestation()
        let key = try TPMKeyFile.decode(fixture.directory.contents("app.key"), alias: fixture.alias).publicArea
        let signer = try #require(TPMPublicArea(attestation.attestationKeyArea, .attestation))
        func code(
            signature: [UInt8]? = nil,
            about area: TPMPublicArea? = nil,
            challenge: [UInt8] = Self.challenge
        ) async -> KeyStoreError.Code? {
            await failure {
                _ = try TPMKeyAttestation(
                    attestation.statement,
                    signature: signature ?? attestation.signature,
                    signer: signer,
                    about: area ?? key,
                    challenge: challenge
                )
            }
        }
        #expect(await code() == nil)
        #expect(await code(signature: attestation.signature.reversed()) == .deviceFailed)
        #expect(await code(about: signer) == .deviceFailed)
        #expect(await code(challenge: [1]) == .deviceFailed)
        for count in attestation.statement.indices {
            #expect(TPMStatement(Array(attestation.statement.prefix(count))) == nil)
        }
        #expect(TPMStatement(attestation.statement + [0]) == nil)
        // TPM_ST_ATTEST_QUOTE, and what no TPM made (TPM 2.0 Part 2 sections 6.9 and 6.2).
        for (index, octet) in [(5, 0x18), (0, 0xFE)] as [(Int, UInt8)] {
            var other = attestation.statement
            other[index] = octet
            #expect(TPMStatement(other) == nil)
        }
    }
}
#endif
