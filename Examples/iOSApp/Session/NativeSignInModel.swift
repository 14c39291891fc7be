// SPDX-License-Identifier: Apache-2.0

public import OAuthClient
public import OAuthCore

/// What a screen shows that asks for the password itself, and what its buttons do; without anything of SwiftUI, so that it can
/// be checked anywhere.
@MainActor
public final class NativeSignInModel {
    /// What the screen shows.
    public enum Stage: Sendable {
        case working
        /// The fields of the first step; the others are offered below.
        case asking(steps: [SignInStep], problem: SignInProblem?)
        case browser
        case signedIn
        case failed(String)
    }

    private let session: SharedSession
    private let onChange: @MainActor (Stage) -> Void
    private var signIn: FirstPartySignIn?
    private var continuation: WebContinuation?

    /// Makes the model of a screen.
    ///
    /// - Parameters:
    ///   - session: What is shared with the extension.
    ///   - onChange: Called with each new stage.
    public init(_ session: SharedSession, onChange: @escaping @MainActor (Stage) -> Void) {
        self.session = session
        self.onChange = onChange
    }

    /// What to keep when the system may stop the app; `nil` while nothing is asked.
    public var state: FirstPartySignInState? { signIn?.state }

    /// Begins, or goes on where the app was stopped.
    ///
    /// - Parameter kept: The ``state`` of an earlier process.
    public func start(from kept: FirstPartySignInState? = nil) async {
        await run { session in
            if let kept, let signIn = try? await session.resumeFirstPartySignIn(kept) { return .next(signIn) }
            return try await session.startFirstPartySignIn()
        }
    }

    /// Sends what the user typed.
    ///
    /// - Parameter answer: The answer to one of the steps.
    public func submit(_ answer: StepAnswer) async {
        guard let signIn else { return }
        // The last answer brings tokens, which are stored under the lock of the session.
        await run { _ in try await ExpiringActivity.run("signing in") { try await signIn.answer(answer) } }
    }

    /// Goes on in the browser, where the server or the user wants that.
    ///
    /// - Parameter userAgent: What shows the pages.
    public func openBrowser(_ userAgent: some UserAgent) async {
        guard let continuation else { return }
        self.continuation = nil
        // Without ExpiringActivity: this one call waits for the person, and then stores the tokens.
        await run { _ in .finished(try await continuation.signIn(using: userAgent)) }
    }

    private func run(_ action: @Sendable (SharedSession) async throws -> FirstPartyProgress) async {
        onChange(.working)
        do {
            show(try await action(session))
        } catch let error as OAuthClientError {
            fail(error)
        } catch {
            onChange(.failed("Something is not set up."))
        }
    }

    private func show(_ progress: FirstPartyProgress) {
        signIn = nil
        switch progress {
        case .next(let next):
            signIn = next
            onChange(.asking(steps: next.steps, problem: next.problem))
        case .redirectToWeb(let next):
            continuation = next
            onChange(.browser)
        case .finished: onChange(.signedIn)
        }
    }

    /// An answer that the server did not take can be given again; everything else begins anew.
    private func fail(_ error: OAuthClientError) {
        switch error.code {
        case .tooManyAttempts, .serverUnavailable, .transportFailed, .keyUnavailable, .invalidArgument: break
        default: signIn = nil
        }
        onChange(.failed(error.userMessage))
    }
}
