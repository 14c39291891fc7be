// SPDX-License-Identifier: Apache-2.0

public import OAuthClient
import OAuthCore

/// What the screen of the app shows, and what its buttons do; without anything of SwiftUI, so that it can be checked anywhere.
@MainActor
public final class ScreenModel {
    /// What the screen shows.
    public enum State: Sendable, Equatable {
        case unknown
        /// Nobody is signed in; the message says why, if the user did not ask for it.
        case signedOut(message: String?)
        case working
        case signedIn(answer: String?)
        /// The device is locked, or the network is away: what is stored is still there.
        case tryAgain(String)
    }

    /// What is shown now.
    public private(set) var state = State.unknown
    private let session: SharedSession
    private let onChange: @MainActor (State) -> Void

    /// Makes the model of a screen.
    ///
    /// - Parameters:
    ///   - session: What is shared with the extension.
    ///   - onChange: Called with each new state.
    public init(_ session: SharedSession, onChange: @escaping @MainActor (State) -> Void) {
        self.session = session
        self.onChange = onChange
    }

    /// Looks whether somebody is signed in.
    public func start() async {
        await run { try await $0.isSignedIn() ? .signedIn(answer: nil) : .signedOut(message: nil) }
    }

    /// Signs in.
    ///
    /// - Parameter userAgent: What shows the pages.
    public func signIn(using userAgent: some UserAgent) async {
        await run {
            try await $0.signIn(using: userAgent)
            return .signedIn(answer: nil)
        }
    }

    /// Calls the API and shows what it says.
    public func callAPI() async {
        await run {
            guard let answer = try await $0.callAPI() else { return .signedOut(message: nil) }
            return .signedIn(answer: answer)
        }
    }

    /// Signs out.
    public func signOut() async {
        await run {
            let result = try await $0.signOut()
            // The session continues while its tokens are stored.
            if let result, case .kept(let error) = result.tokens { return .tryAgain(error.userMessage) }
            return .signedOut(message: result?.failure?.userMessage)
        }
    }

    private func run(_ action: @Sendable (SharedSession) async throws -> State) async {
        let before = state
        show(.working)
        do {
            show(try await action(session))
        } catch {
            show(Self.state(after: error, before))
        }
    }

    private func show(_ state: State) {
        self.state = state
        onChange(state)
    }

    /// Only what ends a session asks for a new sign-in.
    private static func state(after error: any Error, _ before: State) -> State {
        if case SharedSession.Problem.refused(let status) = error {
            return .tryAgain("The API responded with status \(status).")
        }
        if SharedSession.endsSession(error) { return .signedOut(message: "Please sign in again.") }
        guard let error = error as? OAuthClientError else { return .tryAgain("Something is not set up.") }
        switch error.code {
        // The user closed the browser, or the call was cancelled: nothing has changed.
        case .cancelled: return before
        case .authorizationRejected where error.answer?.error == .accessDenied:
            return .signedOut(message: "You chose not to give access.")
        default: return .tryAgain(error.userMessage)
        }
    }
}
