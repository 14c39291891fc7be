// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient
import OAuthCore
import OAuthTransport
import StrictJSON
import Synchronization

/// What goes wrong at one call of a process to its transport or its token store.
enum Fault: String, Sendable, CaseIterable {
    /// The call fails, and had no effect.
    case fails
    /// The call fails, although it had its effect: a response that is lost, a save that reports an error.
    case failsAfterwards
    /// The process ends before the call.
    case killedBefore
    /// The process ends after the call, before it sees the result.
    case killedAfter
    /// The task that waits for the refresh is cancelled.
    case cancelled
    /// The server is down (503), and has not processed the request.
    case unavailable
    /// A gateway answers 502, although the server has processed the request.
    case brokenGateway
    /// The server has processed the request, and a member of its response is malformed.
    case malformed
    /// The server has processed the request, and issued tokens of another type.
    case otherType
    /// Something else answers with a page.
    case captivePortal

    /// Whether a response with new tokens may be lost, so that the refresh token has to be sent again.
    var mayLoseResponse: Bool {
        [.failsAfterwards, .killedAfter, .killedBefore, .brokenGateway].contains(self)
    }

    var isOfTransport: Bool {
        [.unavailable, .brokenGateway, .malformed, .otherType, .captivePortal].contains(self)
    }

    var kills: Bool { self == .killedBefore || self == .killedAfter }
}

/// Counts the calls of one process, and makes one of them go wrong.
final class FaultPlan: Sendable {
    struct Failure: Error {}

    private struct State {
        var calls: [String] = []
        var isArmed = false
        var isDead = false
        var target: Int?
        var targetName: String?
        var fault = Fault.fails
        /// What goes wrong at the second call of the name.
        var second: Fault?
        var onCancel: (@Sendable () -> Void)?
        var interruption: Interruption?
    }

    /// What somebody else does at one call, before its effect or after it.
    struct Interruption {
        enum Moment: String, CaseIterable { case before, after }

        let number: Int
        let moment: Moment
        let action: @Sendable () async -> Void
    }

    private let state = Mutex(State())

    /// The names of the calls since the plan was armed.
    var calls: [String] { state.withLock { $0.calls } }
    var isDead: Bool { state.withLock { $0.isDead } }

    /// Counts from here on; `target` is the number of the call that goes wrong.
    func arm(_ target: Int?, _ fault: Fault, onCancel: (@Sendable () -> Void)? = nil) {
        state.withLock { $0 = State(isArmed: true, target: target, fault: fault, onCancel: onCancel) }
    }

    /// Adds what somebody else does at the call of this number.
    func interrupt(_ interruption: Interruption) {
        state.withLock { $0.interruption = interruption }
    }

    /// Runs the interruption of the newest call, once.
    func runInterruption(_ moment: Interruption.Moment) async {
        let action = state.withLock { state -> (@Sendable () async -> Void)? in
            guard let interruption = state.interruption, state.isArmed,
                interruption.moment == moment, state.calls.count == interruption.number + 1
            else { return nil }
            state.interruption = nil
            return interruption.action
        }
        await action?()
    }

    /// Makes the first call of a name go wrong; `nil` for none.
    func arm(_ name: String, _ fault: Fault?) {
        state.withLock { $0 = State(isArmed: true, targetName: fault == nil ? nil : name, fault: fault ?? .fails) }
    }

    /// Makes the first call of a name go wrong, and the second one in another way.
    func arm(_ name: String, _ fault: Fault, then second: Fault) {
        state.withLock { $0 = State(isArmed: true, targetName: name, fault: fault, second: second) }
    }

    func disarm() {
        state.withLock { $0.isArmed = false }
    }

    /// The fault of this call, if it is the one.
    func next(_ name: String) throws -> Fault? {
        let (fault, onCancel) = try state.withLock { state -> (Fault?, (@Sendable () -> Void)?) in
            if state.isDead { throw Failure() }
            guard state.isArmed else { return (nil, nil) }
            let number = state.calls.count
            state.calls.append(name)
            guard number == state.target || name == state.targetName else { return (nil, nil) }
            let fault = state.fault
            if let second = state.second, name == state.targetName {
                (state.fault, state.second) = (second, nil)
            } else {
                state.targetName = nil
            }
            if fault == .killedBefore { state.isDead = true }
            return (fault, state.onCancel)
        }
        if fault == .cancelled { onCancel?() }
        return fault
    }

    func kill() {
        state.withLock { $0.isDead = true }
    }
}

/// A transport of one process.
struct FaultTransport: ClientTransport {
    let server: FakeServer
    let plan: FaultPlan

    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
        let path = request.target.split(separator: "/").last.map(String.init) ?? ""
        let fault: Fault?
        do {
            fault = try plan.next("send \(path)")
        } catch {
            throw OAuthCoreError(.transportFailed, "the process is dead")
        }
        await plan.runInterruption(.before)
        guard !plan.isDead else { throw OAuthCoreError(.transportFailed, "the process is dead") }
        switch fault {
        case .fails: throw OAuthCoreError(.transportFailed, "nothing answers", wasSent: false)
        case .killedBefore: throw OAuthCoreError(.transportFailed, "the process is dead")
        case .unavailable:
            await plan.runInterruption(.after)
            return HTTPResponse(status: 503)
        case .captivePortal: return HTTPResponse(status: 200, body: Array("<html>Welcome</html>".utf8))
        default: break
        }
        let response = try await server.send(request, maximumBodySize: maximumBodySize)
        await plan.runInterruption(.after)
        guard !plan.isDead else { throw OAuthCoreError(.transportFailed, "the process is dead") }
        switch fault {
        case .failsAfterwards: throw OAuthCoreError(.transportFailed, "the connection broke off", wasSent: true)
        case .killedAfter:
            plan.kill()
            throw OAuthCoreError(.transportFailed, "the process is dead")
        case .brokenGateway: return HTTPResponse(status: 502)
        case .malformed: return Self.replacing("scope", with: .array([]), in: response)
        case .otherType: return Self.replacing("token_type", with: "Bearer", in: response)
        default: return response
        }
    }
}

extension FaultTransport {
    private static func replacing(_ name: String, with value: JSONValue, in response: HTTPResponse) -> HTTPResponse {
        guard var object = (try? JSONValue(parsing: response.body))?.objectValue else { return response }
        object[name] = value
        var changed = response
        changed.body = JSONValue.object(object).encoded()
        return changed
    }
}

/// The token store of one process, in front of the one that all processes share.
struct FaultTokenStore: TokenStore {
    let store: any TokenStore
    let plan: FaultPlan

    func tokens(of account: ClientAccount) async throws -> TokenSet? {
        try await call("read") { try await store.tokens(of: account) }
    }

    func save(_ tokens: TokenSet, of account: ClientAccount) async throws {
        try await call("save") { try await store.save(tokens, of: account) }
    }

    func deleteTokens(of account: ClientAccount) async throws {
        try await call("delete") { try await store.deleteTokens(of: account) }
    }

    func updateTokens(
        of account: ClientAccount,
        _ change: @escaping @Sendable (TokenSet?) throws -> TokenSet?
    ) async throws {
        try await call("update") { try await store.updateTokens(of: account, change) }
    }

    func withRefreshLock<Result: Sendable>(
        on account: ClientAccount,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await call("lock") {}
        return try await store.withRefreshLock(on: account, body)
    }

    private func call<Value: Sendable>(_ name: String, _ body: () async throws -> Value) async throws -> Value {
        let fault = try plan.next(name)
        if fault == .fails || fault == .killedBefore { throw FaultPlan.Failure() }
        await plan.runInterruption(.before)
        if plan.isDead { throw FaultPlan.Failure() }
        let value = try await body()
        await plan.runInterruption(.after)
        if plan.isDead { throw FaultPlan.Failure() }
        if fault == .killedAfter { plan.kill() }
        if fault == .failsAfterwards || fault == .killedAfter { throw FaultPlan.Failure() }
        return value
    }
}
