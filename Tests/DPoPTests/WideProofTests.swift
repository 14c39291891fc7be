// SPDX-License-Identifier: Apache-2.0

import DPoP
import JOSE
import ProofSuite
import StrictJSON
import TestSupport
import Testing

/// Proofs as large as a field may be: accepted at the limit, refused in form one character over, and in time.
@Suite("Wide proofs", .computesForLong)
struct WideProofTests {
    /// What a proof of 8 KiB may take in a debug build, in seconds: many times what it takes.
    private static let limit = 0.25

    /// A valid proof of exactly as many characters.
    private func proof(of count: Int, _ scenario: Scenario) async throws -> String {
        // Three more bytes are four more characters; a byte or two in the claims make up for what is between.
        for more in 1...3 {
            for size in (count - 1000) * 3 / 4..<count {
                var proof = scenario.proof()
                proof.claims["more"] = .string(String(repeating: "b", count: more))
                proof.header["vendor"] = .string(String(repeating: "a", count: size))
                let encoded = [proof.header, proof.claims].map { Base64URL.encode(JSONValue.object($0).encoded()) }
                let length = encoded.reduce(2 + 86) { $0 + $1.utf8.count }
                if length == count { return try await proof.signed() }
                if length > count { break }
            }
        }
        throw NoSuchSize()
    }

    private struct NoSuchSize: Error {}

    @Test func `a valid proof of 8192 characters is accepted, one of 8193 is rejected before it is decoded`()
        async throws
    {
        let scenario = try Scenario()
        let longest = try await proof(of: 8192, scenario)
        #expect(longest.utf8.count == 8192)
        let seconds = try ProcessorTime.leastSeconds(limit: Self.limit) { try scenario.accept(longest) }
        #expect(seconds < Self.limit)
        let longer = try await proof(of: 8193, scenario)
        #expect(failure { try scenario.check([longer]) }?.step == .wellFormed)
        #expect(failure { try scenario.check([String(repeating: "a", count: 1 << 20)]) }?.step == .wellFormed)
    }

    @Test(arguments: [
        String(repeating: #"{"a":"#, count: 14) + "1" + String(repeating: "}", count: 14),
        "[" + String(repeating: "1,", count: 2000) + "1]",
        "{" + (0..<550).map { #""\#($0)":1"# }.joined(separator: ",") + "}",
        #"""# + String(repeating: "\\u0041", count: 700) + #"""#,
    ])
    func `what nobody knows in the header may be deep, wide or long`(filler: String) async throws {
        let scenario = try Scenario()
        var proof = scenario.proof()
        proof.header["vendor"] = try JSONValue(parsing: Array(filler.utf8))
        let text = try await proof.signed()
        #expect(text.utf8.count <= 8192)
        let seconds = try ProcessorTime.leastSeconds(limit: Self.limit) { try scenario.accept(text) }
        #expect(seconds < Self.limit)
    }

    @Test func `hundreds of members beside the claims cost no more than their length`() async throws {
        let scenario = try Scenario()
        for prefix in ["", "\\u0061"] {
            let others = (0..<300).map { #""\#(prefix)\#($0)":1"# }.joined(separator: ",")
            let proof = scenario.proof()
            let claims = String(decoding: JSONValue.object(proof.claims).encoded(), as: UTF8.self)
            let text = try await RawJWS.sign(
                header: JSONValue.object(proof.header).encoded(),
                payload: Array("{\(others),\(claims.dropFirst())".utf8),
                with: proof.signer
            )
            let seconds = try ProcessorTime.leastSeconds(limit: Self.limit) { try scenario.accept(text) }
            #expect(seconds < Self.limit)
        }
    }

    @Test(arguments: [
        (String(repeating: "[", count: 4000), "it is nested more than 16 deep"),
        (String(repeating: "9", count: 4000), "a number is too long"),
        (#"{"a":1,"a":2}"#, "a member name occurs twice"),
        (#"{"a":"\ud800"}"#, "an escape is wrong"),
    ])
    func `a payload over a limit is rejected in form, and the reason names the limit`(
        payload: String,
        reason: String
    ) async throws {
        let scenario = try Scenario()
        let proof = scenario.proof()
        let text = try await RawJWS.sign(
            header: JSONValue.object(proof.header).encoded(),
            payload: Array(payload.utf8),
            with: proof.signer
        )
        var error: DPoPError?
        let seconds = ProcessorTime.leastSeconds(limit: Self.limit) { error = failure { try scenario.check([text]) } }
        #expect(error?.step == .wellFormed)
        #expect(error?.reason.contains(reason) == true)
        #expect(seconds < Self.limit)
    }

    @Test func `an htu of 5 KiB of dots and encodings is compared in time`() async throws {
        let scenario = try Scenario()
        for piece in ["/a/..", "/%2e", "/./.", "/%6D/.."] {
            var proof = scenario.proof()
            let path = String(repeating: piece, count: 5000 / piece.utf8.count)
            proof.claims["htu"] = .string("https://api.example.com" + path + "/me")
            let text = try await proof.signed()
            let seconds = ProcessorTime.leastSeconds(limit: Self.limit) { _ = failure { try scenario.accept(text) } }
            #expect(seconds < Self.limit)
        }
    }
}
