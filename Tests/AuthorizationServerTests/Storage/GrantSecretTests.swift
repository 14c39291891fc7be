// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPMessage
import JOSE
import OAuthCore
import OAuthCrypto
import OAuthSystem
import StrictJSON
import TestSupport
import Testing

@testable import AuthorizationServer
@testable import ServerStorage

@Suite("Codes and tokens name their grant, and are stored beside those of the same time")
struct GrantSecretTests {
    private static let now = Timestamp(millisecondsSince1970: 0x0123_4567_89AB)
    private static let grantID = Grant.newID(in: 0xC7, at: now, SeededEntropy(seed: 4))

    private static func filled(_ start: String, _ count: Int) -> String {
        start + String(repeating: "A", count: count - start.count)
    }

    @Test func `the identifier of a grant is the time, the shard and 72 random bits`() throws {
        let bytes = try Base64URL.decode(Self.grantID)
        #expect(bytes == [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xC7] + SeededEntropy(seed: 4).bytes(9))
    }

    @Test(arguments: GrantSecret.Kind.allCases)
    func `a secret names its grant, and is read as nothing else`(_ kind: GrantSecret.Kind) throws {
        let text = try #require(GrantSecret.make(kind, for: Self.grantID, at: Self.now, SeededEntropy(seed: 1)))
        #expect(text.hasPrefix(kind.prefix) && text.utf8.count == kind.length)
        let secret = try #require(GrantSecret(text, as: kind))
        #expect(secret.grantID == Self.grantID)
        #expect(secret.hash == SecretHash(of: text))
        #expect((secret.familyHash != nil) == (kind == .refreshToken))
        for other in GrantSecret.Kind.allCases where other != kind { #expect(GrantSecret(text, as: other) == nil) }
        for wrong in ["", kind.prefix, text + "A", String(text.dropLast()), text.replacing(kind.prefix, with: "kbx_")] {
            #expect(GrantSecret(wrong, as: kind) == nil)
        }
        #expect(GrantSecret(text.dropLast() + "=", as: kind) == nil)
    }

    @Test func `no secret is made for what is no identifier of a grant`() {
        for grantID in ["", "own.a.1.2.3.b", "AAAA", Self.grantID + "A", "not base64url at all!!"] {
            #expect(GrantSecret.make(.code, for: grantID, at: Self.now, SeededEntropy(seed: 1)) == nil)
        }
    }

    @Test func `refresh tokens of a family share a part, those of another one do not`() throws {
        func token(_ seed: UInt64, of family: [UInt8]?) throws -> String {
            let entropy = SeededEntropy(seed: seed)
            return try #require(GrantSecret.make(.refreshToken, for: Self.grantID, of: family, at: Self.now, entropy))
        }
        let first = try token(1, of: nil)
        let family = try #require(GrantSecret.family(ofRefreshToken: first))
        let (second, other) = (try token(2, of: family), try token(3, of: nil))
        let secrets = try [first, second, other].map { try #require(GrantSecret($0, as: .refreshToken)) }
        #expect(secrets[0].familyHash == secrets[1].familyHash)
        #expect(secrets[0].familyHash != secrets[2].familyHash)
        #expect(Set(secrets.map(\.hash)).count == 3)
        #expect(GrantSecret.family(ofRefreshToken: "kbr_") == nil)
    }

    @Test func `a hash begins with the time and the shard, and the rest is of the whole value`() throws {
        let time: [UInt8] = [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xC7]
        for kind in GrantSecret.Kind.allCases {
            let text = try #require(GrantSecret.make(kind, for: Self.grantID, at: Self.now, SeededEntropy(seed: 2)))
            let digest = SHA256.hash(Array(text.utf8)).bytes
            #expect(SecretHash(of: text).bytes == time + digest.dropFirst(7))
        }
        let handle = DatedHandle.make(in: 0xC7, at: Timestamp(secondsSince1970: 0x6500_0001), SeededEntropy(seed: 3))
        #expect(handle.utf8.count == 48)
        let digest = SHA256.hash(Array(handle.utf8)).bytes
        #expect(SecretHash(of: handle).bytes == [0x65, 0, 0, 1, 0xC7] + digest.dropFirst(5))
    }

    // Not as arguments of the test: they would be printed, and look like secrets.
    @Test func `whatever has another form is hashed as it is`() {
        let others = [
            "", "kbc_", Self.filled("kbc_", 47), Self.filled("kbc_", 67), Self.filled("kbc_", 69),
            Self.filled("kxc_", 68), Self.filled("kbcd", 68), Self.filled("kbc_=", 68), Self.filled("kbr_", 68),
            Self.filled("", 68), Self.filled("=", 48),
        ]
        for (index, secret) in others.enumerated() {
            let isPlain = SecretHash(of: secret).bytes == SHA256.hash(Array(secret.utf8)).bytes
            #expect(isPlain, "number \(index)")
        }
    }

    @Test func `users are spread over the shards by a secret, always in the same way`() {
        let (one, other) = (ShardKey([UInt8](repeating: 1, count: 32)), ShardKey([UInt8](repeating: 2, count: 32)))
        let subjects = (0..<512).map { "subject \($0)" }
        #expect(subjects.map(one.shard) == subjects.map(one.shard))
        #expect(subjects.map(one.shard) != subjects.map(other.shard))
        #expect(Set(subjects.map(one.shard)).count > 200)
    }

    @Test func `the pattern for secret scanners in the documentation finds what is given out, as a whole`() async throws
    {
        let project = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let text = try String(contentsOf: project.appending(path: "docs/operations.md"), encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("\\bkb") })
        let pattern = try Regex(String(line))
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        let token = try await client.redeem(code, attempt).string("refresh_token")
        let device = await (try await FakeDevice.server()).post("/device_authorization", ["client_id": "tv"])
        for secret in [code, token, try device.string("device_code")] {
            #expect(try pattern.wholeMatch(in: secret) != nil, "\(secret.prefix(4))")
            #expect(try pattern.firstMatch(in: "at line 3: token=\(secret) and more") != nil)
        }
    }

    @Test func `all that a server gives out for a user is of one shard, and names its grant`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        var shards: Set<UInt8> = []
        for _ in 1...2 {
            let attempt = client.attempt()
            let code = try await client.code(for: attempt)
            let grantID = try #require(GrantSecret(code, as: .code)).grantID
            shards.insert(try Base64URL.decode(grantID)[6])
            let tokens = try await client.redeem(code, attempt)
            let token = try tokens.string("refresh_token")
            #expect(GrantSecret(token, as: .refreshToken)?.grantID == grantID)
            let next = try await client.refresh(token).string("refresh_token")
            #expect(GrantSecret.family(ofRefreshToken: next) == GrantSecret.family(ofRefreshToken: token))
        }
        #expect(shards.count == 1)
    }

    @Test func `a secret that names another grant is another secret`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        expect(try await client.redeem(try code.changed(at: 3), attempt), isError: "invalid_grant")
        let token = try await client.redeem(code, attempt).string("refresh_token")
        // The grant, and the family: such tokens were never given out.
        for position in [3, 20] {
            expect(try await client.refresh(try token.changed(at: position)), isError: "invalid_grant")
        }
        #expect(try await client.refresh(token).status == 200)
        // The rest: who knows the family had a token of it.
        expect(try await client.refresh(try token.changed(at: 40)), isError: "invalid_grant")
        expect(try await client.refresh(token), isError: "invalid_grant")
    }
}

extension String {
    /// The same secret with one bit of its bytes changed.
    fileprivate func changed(at position: Int) throws -> String {
        var bytes = try Base64URL.decode(String(dropFirst(4)))
        bytes[position] ^= 1
        return prefix(4) + Base64URL.encode(bytes)
    }
}
