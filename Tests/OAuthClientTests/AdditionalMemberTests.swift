// SPDX-License-Identifier: Apache-2.0

import OAuthClient
import OAuthCore
import StrictJSON
import Testing

@Suite("RFC 6749 section 5.1: members that a server adds to its responses")
struct AdditionalMemberTests {
    @Test func `members that the server adds are kept over refreshes and starts, and do not print`() async throws {
        let fixture = try SignInFixture()
        await fixture.server.change { $0.tokenMembers = ["instance_url": "https://na1.example", "tier": 1] }
        let session = try await fixture.session()
        await fixture.server.change { $0.tokenMembers = ["tier": 2] }
        let refreshed = try await session.tokenManager.refresh()
        #expect(refreshed.extras["instance_url"] == "https://na1.example" && refreshed.extras["tier"] == 2)
        let restored = try TokenSet(parsing: refreshed.json)
        #expect(restored == refreshed)
        var dumped = "\(refreshed)"
        dump(refreshed, to: &dumped)
        #expect(!dumped.contains("na1.example"))
    }
}
