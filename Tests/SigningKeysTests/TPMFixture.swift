// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import JOSE
import OAuthCrypto
import StrictJSON
import TestSupport
import Testing

@testable import SigningKeys

/// A TPM of a test's own, and a directory for keys.
struct TPMFixture {
    /// What makes the storage key of the TCG's guidance, with tpm2-tools.
    static let storageAttributes = "fixedtpm|fixedparent|sensitivedataorigin|userwithauth|noda|restricted|decrypt"

    let directory: TemporaryDirectory
    let tpm: SoftwareTPM
    let alias: KeyAlias

    init() async throws {
        directory = try TemporaryDirectory()
        tpm = try await SoftwareTPM(directory: directory.path + "/tpm")
        alias = try KeyAlias("app")
    }

    /// A store; it gives the room in the TPM back after each use unless told otherwise, as others use the TPM too.
    func store(
        owner: String? = nil,
        tcti: String? = nil,
        idleTime: Duration = .zero
    ) throws -> TPMKeyStore {
        try TPMKeyStore(
            directory: directory.keys,
            tcti: tcti ?? tpm.tcti,
            ownerAuthorization: owner.map { Array($0.utf8) },
            idleTime: idleTime
        )
    }

    /// Whether a key works; the TPM is there until that is known.
    func works(_ key: any SigningKey) async throws -> Bool {
        try await key.works()
    }

    /// The code with which a key neither opens nor is made, while its file stays as it is.
    func refusal(_ store: TPMKeyStore) async throws -> KeyStoreError.Code? {
        let before = try directory.contents("app.key")
        let loading = await failure { _ = try await store.load(alias) }
        let making = await failure { _ = try await store.loadOrGenerate(alias: alias) }
        #expect(loading == making)
        #expect(try directory.contents("app.key") == before)
        return loading
    }

    /// Reads a key file as JSON, changes it, and makes its check value right again, as somebody would who means harm.
    func forge(_ name: String = "app.key", _ change: (inout [String: String]) throws -> Void) throws {
        let parsed = try JSONSerialization.jsonObject(with: Data(directory.contents(name)))
        let members = try #require(parsed as? [String: Any])
        var texts = members.compactMapValues { $0 as? String }
        try change(&texts)
        let (alias, algorithm) = (texts["alias"] ?? "", texts["algorithm"] ?? "")
        let body =
            #""format":"keybound-tpm-key","version":1,"alias":"\#(alias)","algorithm":"\#(algorithm)","#
            + ["parent", "public", "private"].map { #""\#($0)":"\#(texts[$0] ?? "")""# }.joined(separator: ",")
        let check = Base64URL.encode(HashAlgorithm.sha256.hash(Array("{\(body)}".utf8)))
        try directory.write(Array("{\(body),\"check\":\"\(check)\"}\n".utf8), to: name)
    }

    /// Makes the TCG's storage key with tpm2-tools, in `primary.ctx`.
    func makeStorageKey() async throws {
        // As it lies in memory: two numbers of 32 octets, each in a buffer of 128.
        let number: [UInt8] = [32, 0] + [UInt8](repeating: 0, count: 128)
        try Data(number + number).write(to: URL(fileURLWithPath: directory.path + "/tpm/unique"))
        try await tpm.expect("tpm2_createprimary -C o -G ecc256 -a \(Self.storageAttributes) -u unique -c primary.ctx")
        try await tpm.expect("tpm2_flushcontext -t")
    }
}
#endif
