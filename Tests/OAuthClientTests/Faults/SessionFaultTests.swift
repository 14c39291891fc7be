// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import OAuthTransport
import SigningKeys
import TestSupport
import Testing

@testable import OAuthClient

@Suite("A fault at every call of a refresh")
struct SessionFaultTests {
    /// How many calls a refresh makes that nothing disturbs.
    private func callCount() async throws -> [String] {
        let device = await FaultDevice(forgiving: true)
        let plan = FaultPlan()
        let session = try await device.expiredSession(plan)
        plan.arm(nil, .fails)
        _ = try await session.tokenManager.fetch()
        return plan.calls
    }

    @Test(arguments: [true, false])
    func `the next start has a session that works, or says that the user must sign in`(forgiving: Bool) async throws {
        let calls = try await callCount()
        #expect(calls == ["lock", "read", "send oauth-authorization-server", "update", "send token", "update"])
        var injected = 0
        var outcomes: [String: Int] = [:]
        for (number, call) in calls.enumerated() {
            for fault in Fault.allCases where !fault.isOfTransport || call.hasPrefix("send") {
                let outcome = try await run(fault, at: number, forgiving: forgiving)
                injected += 1
                outcomes["\(outcome)", default: 0] += 1
                let name = "\(fault) at \(number), \(call)"
                // Without forgiveness only a response that nobody received can end the session.
                let mayEnd = fault == .otherType || (!forgiving && fault.mayLoseResponse)
                if !mayEnd { #expect(outcome == .works, "\(name)") }
            }
        }
        print("SessionFault: \(injected) faults, server \(forgiving ? "forgives" : "does not forgive"): \(outcomes)")
        #expect(injected == 5 * calls.count + 5 * 2)
    }

    private enum Outcome { case works, mustSignIn }

    private func run(_ fault: Fault, at number: Int, forgiving: Bool) async throws -> Outcome {
        let device = await FaultDevice(forgiving: forgiving)
        let plan = FaultPlan()
        let session = try await device.expiredSession(plan)
        let gate = Gate()
        let caller = Task {
            await gate.pass()
            return try await session.tokenManager.fetch()
        }
        plan.arm(number, fault, onCancel: { caller.cancel() })
        await gate.open()
        _ = await caller.result
        if !plan.isDead {
            // The process goes on: an earlier attempt must not have harmed the next one.
            let error = await clientError { try await session.tokenManager.refresh() }
            #expect(error == nil || error?.code == .sessionEnded, "\(fault) at \(number)")
        }
        #expect(plan.calls.count > number, "the fault was not injected")
        let outcome = try await nextStart(device)
        if !fault.mayLoseResponse { #expect(await device.server.thefts == 0, "\(fault) at \(number)") }
        if forgiving { #expect(await device.server.thefts == 0, "\(fault) at \(number)") }
        #expect(await device.server.violations == [])
        return outcome
    }

    private func nextStart(_ device: FaultDevice) async throws -> Outcome {
        guard let session = try await device.process(FaultPlan()).restoreSession() else { return .mustSignIn }
        do throws(OAuthClientError) {
            let tokens = try await session.tokenManager.fetch()
            #expect(await device.server.goodTokens.contains(tokens.accessToken.value))
            try await session.tokenManager.refresh()
            return .works
        } catch {
            #expect(error.code == .sessionEnded)
            return .mustSignIn
        }
    }

    @Test func `a process that ends in a refresh leaves word, and the next one refreshes at once`() async throws {
        let device = await FaultDevice(forgiving: true)
        let first = try await device.process(FaultPlan())
            .signIn(scopes: ["api:read"], using: ApprovingUser(server: device.server))
        let plan = FaultPlan()
        let dying = try #require(try await device.process(plan).restoreSession())
        plan.arm(4, .killedAfter)
        _ = await clientError { try await dying.tokenManager.refresh() }
        #expect(plan.isDead && plan.calls.last == "send token")
        // The access token is good for minutes. Only a repetition within seconds is forgiven.
        let next = try #require(try await device.process(FaultPlan()).restoreSession())
        let tokens = try await next.tokenManager.fetch()
        #expect(try await tokens.accessToken != first.tokenManager.fetch().accessToken)
        #expect(await device.server.thefts == 0)
    }

    @Test func `a response that is lost is asked for once more at once, with a new proof`() async throws {
        let device = await FaultDevice(forgiving: true)
        let plan = FaultPlan()
        let session = try await device.expiredSession(plan)
        plan.arm(4, .failsAfterwards)
        let tokens = try await session.tokenManager.fetch()
        #expect(plan.calls.filter { $0 == "send token" }.count == 2)
        #expect(await device.server.goodTokens.contains(tokens.accessToken.value))
        #expect(await device.server.violations == [])
    }

    @Test(arguments: [Fault.fails, .unavailable])
    func `what becomes of the repetition does not tell about the first sending`(_ second: Fault) async throws {
        let device = await FaultDevice(forgiving: true)
        let plan = FaultPlan()
        let session = try await device.expiredSession(plan)
        plan.arm("send token", .failsAfterwards, then: second)
        #expect(await clientError { try await session.tokenManager.refresh() } != nil)
        #expect(plan.calls.filter { $0 == "send token" }.count == 2)
        #expect(await device.store.tokens(of: device.account)?.record.refreshingSince != nil)
        // The next process repeats the refresh at once, while the server forgives it.
        let next = try #require(try await device.process(FaultPlan()).restoreSession())
        let tokens = try await next.tokenManager.fetch()
        #expect(await device.server.goodTokens.contains(tokens.accessToken.value))
        #expect(await device.server.thefts == 0)
    }
}
