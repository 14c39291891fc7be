// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import StrictJSON
import TestSupport
import Testing

/// The limit of an address is three rejected responses here.
extension ExternalLoginTests {
    /// The lines of the log about rejected responses.
    private var rejections: [String] {
        server.reports.all.filter { $0.hasPrefix("a response of the login system was rejected: ") }
    }

    @Test func `an address that sends forged answers has to wait and fills no log; good ones still pass`() async throws
    {
        let attacker = FakeBrowser(server.seen(from: "203.0.113.9"))
        _ = try await begin(attacker)
        var statuses: [Int] = []
        for _ in 0..<6 { statuses.append(await come(back: "forged", in: attacker).status) }
        #expect(statuses == [403, 403, 403, 429, 429, 429])
        #expect(rejections.count == 3)
        for address in ["203.0.113.9", "198.51.100.7"] {
            for _ in 0..<4 {
                let browser = FakeBrowser(server.seen(from: address))
                let answer = try await response(to: try await begin(browser).question)
                #expect(await come(back: answer, in: browser).status == 303, "\(address)")
            }
        }
    }

    @Test func `requests without a cookie, which any web page can cause, count nowhere`() async throws {
        let here = server.seen(from: "203.0.113.9")
        for _ in 0..<10 { #expect(await come(back: "forged", in: FakeBrowser(here)).status == 403) }
        #expect(rejections.isEmpty)
        let browser = FakeBrowser(here)
        let question = try await begin(browser).question
        #expect(await come(back: "forged", in: browser).status == 403)
        #expect(await come(back: try await response(to: question), in: browser).status == 303)
    }

    @Test func `the log says why each answer was rejected`() async throws {
        let (browser, other) = (FakeBrowser(server), FakeBrowser(server))
        let question = try await begin(browser).question
        let foreign = try await begin(other).question
        _ = await come(back: "forged", in: browser)
        _ = await come(back: try await response(to: question, signedBy: try TestKey.p256(8)), in: browser)
        _ = await come(back: try await response(to: foreign), in: browser)
        _ = await come(back: try await response(to: question) { $0["acr"] = 3 }, in: browser)
        let reasons = ["malformedToken", "invalidSignature", "another browser", "the acr is none"]
        try #require(rejections.count == reasons.count, "\(rejections)")
        for (line, reason) in zip(rejections, reasons) { #expect(line.contains(reason)) }
    }

    @Test func `ten checks of a signature may fail for one sign-in, and another one is not affected`() async throws {
        let browser = FakeBrowser(server)
        let question = try await begin(browser).question
        let forged = try await response(to: question, signedBy: try TestKey.p256(8))
        for _ in 0..<10 { #expect(await come(back: forged, in: browser).status == 403) }
        let late = await come(back: forged, in: browser)
        #expect(late.status == 429 && late.fields["Retry-After"] != nil)
        let another = try await begin(browser).question
        #expect(await come(back: try await response(to: another), in: browser).status == 303)
    }

    @Test func `answers beyond the ten checks of a sign-in count against their address`() async throws {
        // Without an address, only the checks of the sign-in are counted.
        let browser = FakeBrowser(server)
        let question = try await begin(browser).question
        let forged = try await response(to: question, signedBy: try TestKey.p256(8))
        for _ in 0..<10 { #expect(await come(back: forged, in: browser).status == 403) }
        let attacker = FakeBrowser(server.seen(from: "203.0.113.9"))
        attacker.cookies = browser.cookies
        for _ in 0..<6 { #expect(await come(back: forged, in: attacker).status == 429) }
        #expect(rejections.count == 10 + 3)
    }

    @Test func `an address may send as many answers as authorization requests, whatever they say`() async throws {
        let limit = try #require(RateLimits.standard.authorizationRequest)
        let here = server.seen(from: "203.0.113.9")
        let browser = FakeBrowser(here)
        let answer = try await response(to: try await begin(browser).question)
        // A cookie can be invented.
        let attacker = FakeBrowser(here)
        attacker.cookies = browser.cookies.mapValues { String($0.reversed()) }
        for _ in 0..<limit.count { #expect(await come(back: "forged", in: attacker).status != 303) }
        let late = await come(back: answer, in: browser)
        #expect(late.status == 429 && late.fields["Retry-After"] != nil)
        // Images of a web page neither count nor wait, and other addresses are not affected.
        #expect(await come(back: "forged", in: FakeBrowser(here)).status == 403)
        let other = FakeBrowser(server.seen(from: "198.51.100.7"))
        let question = try await begin(other).question
        #expect(await come(back: try await response(to: question), in: other).status == 303)
        // One more passes after a moment; the answer was not used up.
        server.clock.advance(by: .seconds(1))
        #expect(await come(back: answer, in: browser).status == 303)
    }
}
