// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import JOSE
import OAuthClient
import OAuthCore
import Observation
import SigningKeys
import StrictJSON
import Synchronization
import TestSupport
import Testing

@Suite("The account in use, for views that observe it", .timeLimit(.minutes(1)))
@MainActor
struct SessionModelTests {
    private let provider: OpenIDProvider
    private let clock = FixedClock()
    private let storage = ClientStorage.memory

    init() async throws {
        provider = try await OpenIDProvider(clock: clock)
    }

    private var alice: ProviderUser { ProviderUser(subject: "alice", provider: provider) }

    private struct Refusal: UserAgent {
        let code: OAuthClientError.Code

        func authorize(
            redirectURI: String,
            _ makeRequest: @Sendable (String) async throws -> AuthorizationRequest
        ) async throws -> AuthorizationCallback {
            throw OAuthClientError(code, "the browser was closed")
        }
    }

    /// A user who does not answer: the sign-in ends when it was cancelled and its window has closed.
    private struct SilentUser: UserAgent {
        /// Opens when the sign-in is cancelled.
        let cancelled: Gate
        /// What the sign-in waits at.
        let closed = Gate()

        /// The window closes when the sign-in is cancelled or, if it `closesLate`, when the test opens `closed`.
        init(closesLate: Bool = false) {
            cancelled = closesLate ? Gate() : closed
        }

        func authorize(
            redirectURI: String,
            _ makeRequest: @Sendable (String) async throws -> AuthorizationRequest
        ) async throws -> AuthorizationCallback {
            await withTaskCancellationHandler {
                await closed.pass()
            } onCancel: {
                Task { await cancelled.open() }
            }
            throw CancellationError()
        }
    }

    private func model(seed: UInt64 = 1) throws -> SessionModel {
        SessionModel(
            try AccountManager(
                issuer: provider.base,
                clientID: "my-app",
                redirectURI: "com.example.app:/callback",
                configuration: .allowingInsecureHTTPOnLoopback,
                storage: storage,
                transport: DatedTransport(),
                clock: clock,
                entropy: SeededEntropy(seed: seed)
            )
        )
    }

    /// Waits for a change that comes by the stream of states.
    private func state(
        of model: SessionModel,
        where condition: (SessionState) -> Bool
    ) async throws -> SessionState {
        for _ in 0..<3_000 where !condition(model.state) { try await Task.sleep(for: .milliseconds(10)) }
        return model.state
    }

    private static func isSignedIn(_ state: SessionState) -> Bool {
        if case .signedIn = state { true } else { false }
    }

    @Test func `a view sees a sign-in and a sign-out`() async throws {
        let model = try model()
        #expect(model.session == nil && !model.isBusy)
        let changes = Mutex(0)
        withObservationTracking {
            _ = model.state
        } onChange: {
            changes.withLock { $0 += 1 }
        }
        await model.signIn(scopes: ["openid"], using: alice)
        #expect(model.lastError == nil && !model.isBusy)
        #expect(Self.isSignedIn(model.state))
        #expect(try await model.session?.tokenManager.fetch().idToken?.subject == "alice")
        #expect(changes.withLock { $0 } == 1)
        let result = await model.signOut()
        #expect(model.state == .signedOut && model.session == nil && model.lastError == nil)
        #expect(result?.wasSignedIn == true)
        let again = await model.signOut()
        #expect(again == nil && model.lastError == nil)
    }

    @Test func `the next start finds the session`() async throws {
        await (try model()).signIn(scopes: ["openid"], using: alice)
        let next = try model(seed: 2)
        await next.select("no such account")
        #expect(next.lastError?.code == .invalidArgument)
        #expect(Self.isSignedIn(try await state(of: next, where: Self.isSignedIn)))
        #expect(next.session != nil)
    }

    @Test func `an error is shown, and a closed browser is not one`() async throws {
        let model = try model()
        await model.signIn(scopes: ["openid"], using: Refusal(code: .userAgentFailed))
        #expect(model.lastError?.code == .userAgentFailed)
        await model.signIn(scopes: ["openid"], using: Refusal(code: .cancelled))
        #expect(model.lastError == nil && !model.isBusy)
    }

    /// Begins a sign-in that waits for its user.
    private func begin(_ model: SessionModel) async throws -> Task<Void, Never> {
        let user = SilentUser()
        let call = Task { await model.signIn(scopes: ["openid"], using: user) }
        try await user.closed.arrival()
        #expect(model.isBusy)
        return call
    }

    @Test func `a sign-in that waits for its user can be cancelled`() async throws {
        let model = try model()
        let call = try await begin(model)
        model.cancel()
        await call.value
        #expect(!model.isBusy && model.lastError == nil && model.session == nil)
    }

    @Test func `the next sign-in, or a sign-out, takes the place of one that waits`() async throws {
        let model = try model()
        let first = try await begin(model)
        await model.signIn(scopes: ["openid"], using: alice)
        #expect(Self.isSignedIn(model.state) && !model.isBusy && model.lastError == nil)
        await first.value
        let second = try await begin(model)
        await model.signOut()
        #expect(model.state == .signedOut && !model.isBusy && model.lastError == nil)
        await second.value
        #expect(!model.isBusy)
    }

    @Test func `a sign-out that waits for a cancelled sign-in is not displaced`() async throws {
        let model = try model()
        await model.signIn(scopes: ["openid"], using: alice)
        let user = SilentUser(closesLate: true)
        let first = Task { await model.signIn(scopes: ["openid"], using: user) }
        try await user.closed.arrival()
        let signOut = Task { await model.signOut() }
        await user.cancelled.pass()
        await model.signIn(scopes: ["openid"], using: alice)
        model.cancel()
        #expect(model.isBusy)
        await user.closed.open()
        let result = await signOut.value
        #expect(result?.wasSignedIn == true)
        #expect(model.state == .signedOut && model.session == nil && model.lastError == nil)
        await first.value
        #expect(!model.isBusy)
    }

    @Test func `a sign-in that waits for a cancelled one can be cancelled too`() async throws {
        let model = try model()
        let user = SilentUser(closesLate: true)
        let first = Task { await model.signIn(scopes: ["openid"], using: user) }
        try await user.closed.arrival()
        let second = Task { await model.signIn(scopes: ["openid"], using: alice) }
        await user.cancelled.pass()
        model.cancel()
        await user.closed.open()
        await first.value
        await second.value
        #expect(!model.isBusy && model.lastError == nil && model.session == nil)
    }

    @Test func `the model does not keep itself`() async throws {
        weak var released: SessionModel?
        do {
            let model = try model()
            released = model
            _ = try await state(of: model) { $0 != .unknown }
        }
        for _ in 0..<3_000 where released != nil { try await Task.sleep(for: .milliseconds(10)) }
        #expect(released == nil)
    }
}
#endif
