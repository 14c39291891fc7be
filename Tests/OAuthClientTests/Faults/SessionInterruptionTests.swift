// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient
import OAuthSystem
import Synchronization
import TestSupport
import Testing

/// What happens in a device's other window or process while one process refreshes.
private enum Meanwhile: String, CaseIterable, CustomTestStringConvertible {
    /// The user signs out in the same process.
    case signedOutHere
    /// The user signs out in another process, which ends as soon as the device has forgotten the session.
    case signedOutElsewhere
    /// Another user signs in to the same account.
    case otherSignsIn

    var testDescription: String { rawValue }
}

/// How the server answers the refresh.
private enum Answer: String, CaseIterable, CustomTestStringConvertible {
    case tokens, invalidGrant, unavailable, brokenGateway, malformed, otherType

    var fault: Fault? {
        switch self {
        case .tokens, .invalidGrant: nil
        case .unavailable: .unavailable
        case .brokenGateway: .brokenGateway
        case .malformed: .malformed
        case .otherType: .otherType
        }
    }

    var testDescription: String { rawValue }
}

/// One user's refresh, and what comes in between.
private final class InterruptedRefresh: Sendable {
    let device: FaultDevice
    let plan = FaultPlan()
    let session: OAuthSession
    let meanwhile: Meanwhile
    /// The session of the other user, once there is one.
    let other = Mutex<OAuthSession?>(nil)
    /// The sign-out, which waits for the lock of the refresh.
    let signOut = Mutex<Task<SignOutResult, Never>?>(nil)

    init(_ meanwhile: Meanwhile, _ answer: Answer) async throws {
        device = await FaultDevice(forgiving: false)
        session = try await device.expiredSession(plan)
        self.meanwhile = meanwhile
        if answer == .invalidGrant {
            await device.server.change { $0.instead["/token"] = [.error(400, "invalid_grant")] }
        }
    }

    /// Returns once the device has forgotten the session, or has that of the other user.
    func interrupt() async {
        do {
            switch meanwhile {
            case .otherSignsIn:
                // The response that waits is for the refresh.
                let instead = await device.server.rules.instead
                await device.server.change { $0.instead = [:] }
                let session = try await device.process(FaultPlan())
                    .signIn(scopes: ["api:read"], using: ApprovingUser(server: device.server))
                other.withLock { $0 = session }
                await device.server.change { $0.instead = instead }
            case .signedOutHere:
                try await end(session)
            case .signedOutElsewhere:
                let elsewhere = FaultPlan()
                if let session = try await device.process(elsewhere).restoreSession() { try await end(session) }
                elsewhere.kill()
            }
        } catch {
            Issue.record("\(error)")
        }
    }

    private func end(_ session: OAuthSession) async throws {
        let task = Task { await session.signOut() }
        signOut.withLock { $0 = task }
        while let stored = await device.store.tokens(of: device.account), !stored.isEnded {
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Refreshes, and returns the tokens that the caller got.
    func run(at number: Int, _ moment: FaultPlan.Interruption.Moment, _ answer: Answer, killed: Bool) async -> TokenSet?
    {
        plan.arm("send token", answer.fault)
        plan.interrupt(
            FaultPlan.Interruption(number: number, moment: moment) {
                await self.interrupt()
                if killed { self.plan.kill() }
            }
        )
        let tokens = try? await session.tokenManager.fetch()
        _ = await signOut.withLock { $0 }?.value
        await device.server.change { $0.instead = [:] }
        return tokens
    }
}

@Suite("A sign-out or another sign-in at every call of a refresh", .timeLimit(.minutes(3)))
struct SessionInterruptionTests {
    private static let calls = ["lock", "read", "send oauth-authorization-server", "update", "send token", "update"]

    @Test(arguments: Meanwhile.allCases, Answer.allCases)
    private func `a refresh never undoes what happened meanwhile`(_ meanwhile: Meanwhile, _ answer: Answer) async throws
    {
        for number in Self.calls.indices {
            for moment in FaultPlan.Interruption.Moment.allCases {
                for killed in answer == .tokens ? [false, true] : [false] {
                    let refresh = try await InterruptedRefresh(meanwhile, answer)
                    let tokens = await refresh.run(at: number, moment, answer, killed: killed)
                    let name: Comment = "\(moment) \(number), killed: \(killed)"
                    if meanwhile == .otherSignsIn {
                        try await requireOther(refresh, tokens, name)
                    } else {
                        try await requireSignedOut(refresh, name)
                        // What the refresh brought is revoked; only a response that nobody read can be left over.
                        if !killed, answer != .brokenGateway {
                            #expect(await refresh.device.server.goodRefreshTokens == [], name)
                        }
                    }
                    #expect(await refresh.device.server.thefts == 0, name)
                    #expect(await refresh.device.server.violations == [], name)
                }
            }
        }
    }

    private func requireOther(_ refresh: InterruptedRefresh, _ tokens: TokenSet?, _ name: Comment) async throws {
        // Some answers need fewer calls: then nobody came in between.
        guard let other = refresh.other.withLock({ $0 }) else { return }
        let own = try await other.tokenManager.fetch()
        #expect(tokens?.accessToken != own.accessToken, name)
        let stored = await refresh.device.store.tokens(of: refresh.device.account)
        #expect(stored?.refreshToken == own.refreshToken && stored?.accessToken == own.accessToken, name)
        let restored = try await refresh.device.process(FaultPlan()).restoreSession()
        #expect(try await restored?.tokenManager.fetch().accessToken == own.accessToken, name)
        #expect(await clientError { try await other.tokenManager.refresh() } == nil, name)
    }

    private func requireSignedOut(_ refresh: InterruptedRefresh, _ name: Comment) async throws {
        guard refresh.signOut.withLock({ $0 }) != nil else { return }
        let client = try refresh.device.process(FaultPlan())
        try #require(try await client.restoreSession() == nil, name)
        // The next start tells the server what the other process could not.
        while await refresh.device.store.tokens(of: refresh.device.account) != nil {
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}
