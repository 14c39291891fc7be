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

@Suite("Codes, tokens and grants that are made at one time are stored in one place")
struct TimeOrderedTokenTests {
    private static let now = Timestamp(secondsSince1970: 0x6500_0001)
    private static let time: [UInt8] = [0x65, 0, 0, 1]

    private static func filled(_ start: String, _ count: Int) -> String {
        start + String(repeating: "A", count: count - start.count)
    }

    @Test func `a secret is its prefix, the time, and 256 random bits`() throws {
        let secret = TimeOrderedToken.make("kbc_", at: Self.now, SeededEntropy(seed: 1))
        #expect(secret.hasPrefix("kbc_") && secret.utf8.count == 52)
        let bytes = try Base64URL.decode(String(secret.dropFirst(4)))
        #expect(Array(bytes.prefix(4)) == Self.time)
        #expect(Array(bytes.dropFirst(4)) == SeededEntropy(seed: 1).bytes(32))
    }

    @Test func `its hash begins with the time, and the rest is of the whole value`() {
        let secret = TimeOrderedToken.make("kbr_", at: Self.now, SeededEntropy(seed: 2))
        let digest = SHA256.hash(Array(secret.utf8)).bytes
        #expect(SecretHash(of: secret).bytes == Self.time + digest.dropFirst(4))
    }

    // Not as arguments of the test: they would be printed, and look like secrets.
    @Test func `whatever has another form is hashed as it is`() {
        let others = [
            "", "kbc_", Self.filled("kbc_", 47), Self.filled("kbc_", 51), Self.filled("kbc_", 53),
            Self.filled("kxc_", 52), Self.filled("kbcd", 52), Self.filled("kbc_=", 52), Self.filled("kbc_é", 51),
            Self.filled("", 52),
        ]
        for (index, secret) in others.enumerated() {
            let isPlain = SecretHash(of: secret).bytes == SHA256.hash(Array(secret.utf8)).bytes
            #expect(isPlain, "number \(index)")
        }
    }

    @Test func `a time outside of what four bytes hold is the nearest that they do`() {
        for (seconds, time) in [(-1, "AAAA"), (Int64(UInt32.max) + 1, "____")] as [(Int64, String)] {
            let secret = TimeOrderedToken.make("kbc_", at: Timestamp(secondsSince1970: seconds), SeededEntropy(seed: 3))
            #expect(secret.dropFirst(4).hasPrefix(time))
        }
    }

    @Test func `the identifier of a grant is the time and 80 random bits`() throws {
        let grant = Grant.newID(at: Timestamp(millisecondsSince1970: 0x0123_4567_89AB), SeededEntropy(seed: 4))
        let bytes = try Base64URL.decode(grant)
        #expect(bytes == [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB] + SeededEntropy(seed: 4).bytes(10))
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

    @Test func `what a server gives out has the time in front, and another time is another secret`() async throws {
        let server = try await ServerUnderTest.inMemory()
        let client = try FakeClient(server)
        let attempt = client.attempt()
        let code = try await client.code(for: attempt)
        let time = UInt32(clamping: server.clock.now().secondsSince1970).bytes
        #expect(TimeOrderedToken.time(of: code) == time)
        let other = try code.dated(differently: time)
        expect(try await client.redeem(other, attempt), isError: "invalid_grant")
        let tokens = try await client.redeem(code, attempt)
        let token = try tokens.string("refresh_token")
        #expect(TimeOrderedToken.time(of: token) == time)
        expect(try await client.refresh(try token.dated(differently: time)), isError: "invalid_grant")
        #expect(try await client.refresh(token).status == 200)
    }
}

extension String {
    /// The same secret with another time.
    fileprivate func dated(differently time: [UInt8]) throws -> String {
        var bytes = try Base64URL.decode(String(dropFirst(4)))
        bytes[3] ^= 1
        #expect(bytes.prefix(3) == time.prefix(3))
        return prefix(4) + Base64URL.encode(bytes)
    }
}

extension UInt32 {
    fileprivate var bytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> (24 - 8 * $0)) } }
}
