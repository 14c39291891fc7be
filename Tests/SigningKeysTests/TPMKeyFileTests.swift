// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import JOSE
import OAuthCrypto
import StrictJSON
import TestSupport
import Testing

@testable import SigningKeys

@Suite("Files of keys of a TPM")
struct TPMKeyFileTests {
    @Test func `a file that was cut off or has a bit flipped anywhere is damaged, not lost`() async throws {
        let fixture = try await TPMFixture()
        let store = try fixture.store(idleTime: .seconds(10))
        let key = try await store.loadOrGenerate(alias: fixture.alias)
        let whole = try fixture.directory.contents("app.key")
        var damaged = (0..<16).map { Array(whole.prefix(whole.count * $0 / 16)) }
        for index in whole.indices {
            var bytes = whole
            bytes[index] ^= 1 << (index % 8)
            damaged.append(bytes)
        }
        for bytes in damaged {
            try fixture.directory.write(bytes, to: "app.key")
            #expect(await failure { _ = try await store.load(fixture.alias) } == .malformedKeyFile)
        }
        #expect(try await fixture.refusal(store) == .malformedKeyFile)
        try fixture.directory.write(whole, to: "app.key")
        #expect(try await store.load(fixture.alias)?.publicKey == key.publicKey)
    }

    @Test(arguments: ["private", "public", "parent"])
    func `what somebody changed who repairs the check value is rejected by the TPM`(member: String) async throws {
        let fixture = try await TPMFixture()
        let store = try fixture.store(idleTime: .seconds(10))
        _ = try await store.loadOrGenerate(alias: fixture.alias)
        let whole = try fixture.directory.contents("app.key")
        var count = 0
        try fixture.forge { count = try Base64URL.decode($0[member] ?? "").count }
        var codes: [KeyStoreError.Code: Int] = [:]
        for index in stride(from: 0, to: count, by: member == "private" ? 3 : 1) {
            try fixture.directory.write(whole, to: "app.key")
            try fixture.forge { members in
                var bytes = try Base64URL.decode(members[member] ?? "")
                bytes[index] ^= 1 << (index % 8)
                members[member] = Base64URL.encode(bytes)
            }
            let code = try #require(await failure { _ = try await store.load(fixture.alias) })
            codes[code, default: 0] += 1
        }
        // Of the public area only the point is not fixed; the private one begins with the number of octets of its check value.
        let expected: Set<KeyStoreError.Code> = member == "parent" ? [.keyLost] : [.keyLost, .malformedKeyFile]
        #expect(Set(codes.keys) == expected)
        if member == "public" { #expect(codes[.keyLost] == 64) }
        if member == "private" { #expect(codes[.malformedKeyFile] == 1) }
    }

    @Test func `the key of one alias is not that of another, whatever is done to its file`() async throws {
        let fixture = try await TPMFixture()
        let (store, other) = (try fixture.store(idleTime: .seconds(10)), try KeyAlias("apq"))
        _ = try await store.loadOrGenerate(alias: fixture.alias)
        _ = try await store.loadOrGenerate(alias: other)
        let theirs = try fixture.directory.contents("apq.key")
        try fixture.directory.write(theirs, to: "app.key")
        #expect(try await fixture.refusal(store) == .malformedKeyFile)
        try fixture.forge { $0["alias"] = "app" }
        #expect(try await fixture.refusal(store) == .malformedKeyFile)
        // Also with the public area of the right alias: now the private half does not belong to it.
        let blob = try TPMKeyFile.decode(theirs, alias: other)
        let area = TPMPublicArea(.signing(.p256, fixture.alias), x: blob.publicArea.x, y: blob.publicArea.y)
        try fixture.forge { $0["public"] = Base64URL.encode(area.encoded) }
        #expect(try await fixture.refusal(store) == .keyLost)
    }

    @Test func `the other algorithm is not taken from the file`() async throws {
        let fixture = try await TPMFixture()
        let store = try fixture.store()
        _ = try await store.loadOrGenerate(alias: fixture.alias)
        for algorithm in ["ES384", "ES512", "none"] {
            try fixture.forge { $0["algorithm"] = algorithm }
            #expect(try await fixture.refusal(store) == .malformedKeyFile)
        }
    }

    @Test func `public areas are read strictly`() throws {
        let purpose = TPMPublicArea.Purpose.signing(.p256, try KeyAlias("app"))
        let area = TPMPublicArea(purpose, x: [1, 2, 3], y: [UInt8](repeating: 4, count: 32))
        #expect(TPMPublicArea(area.encoded, purpose) == area)
        #expect(TPMPublicArea(area.encoded + [0], purpose) == nil)
        #expect(TPMPublicArea(area.encoded.dropLast(), purpose) == nil)
        #expect(TPMPublicArea([], purpose) == nil)
        #expect(TPMPublicArea(area.encoded, .signing(.p384, try KeyAlias("app"))) == nil)
        #expect(TPMPublicArea(area.encoded, .signing(.p256, try KeyAlias("apq"))) == nil)
        let long = TPMPublicArea(purpose, x: [UInt8](repeating: 4, count: 33), y: [1])
        #expect(TPMPublicArea(long.encoded, purpose) == nil)
        for count in 0..<area.encoded.count {
            #expect(TPMPublicArea(Array(area.encoded.prefix(count)), purpose) == nil)
        }
    }
}
#endif
