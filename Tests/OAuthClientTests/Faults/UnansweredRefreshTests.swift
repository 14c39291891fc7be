// SPDX-License-Identifier: Apache-2.0

import OAuthCore
import OAuthSystem
import TestSupport
import Testing

@testable import OAuthClient

/// What later processes do about a refresh that got no response.
@Suite("A refresh whose outcome is not known")
struct UnansweredRefreshTests {
    private let fixture: SignInFixture

    init() throws {
        fixture = try SignInFixture()
    }

    /// The session as another process finds it.
    private func nextStart() async throws -> OAuthSession {
        try #require(try await fixture.client.restoreSession())
    }

    private var sent: Int {
        get async { await fixture.server.requests(to: "/token").count }
    }

    @Test func `it is repeated at once for a minute, and after that when the access token needs it`() async throws {
        let session = try await fixture.session()
        let own = try await session.tokenManager.fetch()
        await fixture.server.change { $0.losesResponses = ["/token"] }
        let error = await clientError { try await session.tokenManager.refresh() }
        #expect(error?.code == .transportFailed)
        let before = await sent
        fixture.pass(.seconds(59))
        // The access token is valid, so the failure is no error.
        #expect(try await nextStart().tokenManager.fetch().accessToken == own.accessToken)
        #expect(await sent == before + 2)
        // RFC 9700 section 4.14.2: from here on, a server that sees the refresh token again takes it for stolen.
        fixture.pass(.seconds(2))
        #expect(try await nextStart().tokenManager.fetch().accessToken == own.accessToken)
        #expect(await sent == before + 2)
        fixture.pass(.seconds(300))
        let expired = try await nextStart()
        #expect(await clientError { _ = try await expired.tokenManager.fetch() }?.code == .transportFailed)
        #expect(await sent == before + 4)
        // That one is repeated at once in its turn.
        let next = try await nextStart()
        #expect(await clientError { _ = try await next.tokenManager.fetch() }?.code == .transportFailed)
        #expect(await sent == before + 6)
    }

    @Test func `a server that never answers does not hold up every process that comes`() async throws {
        _ = try await fixture.session()
        let (clock, elapsed) = (fixture.clock, fixture.elapsed)
        await fixture.server.change { rules in
            rules.losesResponses = ["/token"]
            rules.beforeRefresh = {
                clock.advance(by: .seconds(36))
                elapsed.advance(by: .seconds(36))
            }
        }
        fixture.pass(.seconds(400))
        var error: OAuthClientError?
        for _ in 0..<12 where error?.code != .serverUnavailable {
            let next = try await nextStart()
            error = await clientError { _ = try await next.tokenManager.fetch() }
        }
        // After failures all processes wait together.
        #expect(error?.code == .serverUnavailable)
        #expect(try #require(error?.retryAfter) > .zero)
    }

    @Test(arguments: [
        (0, true), (59, true), (60, false), (3600, false), (-1, true), (-59, true), (-60, false), (-3600, false),
    ])
    func `the time counts from the sending, and a changed clock does not make it endless`(_ age: Int, _ isSoon: Bool) {
        let now = Timestamp(secondsSince1970: 1_800_000_000)
        let record = SessionRecord(refreshingSince: now - .seconds(age))
        #expect(record.mustRepeatRefresh(at: now) == isSoon)
        #expect(!SessionRecord().mustRepeatRefresh(at: now))
    }
}
