// SPDX-License-Identifier: Apache-2.0

#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
import AuthenticationServices
import Foundation
import Synchronization

/// One use of the system's browser.
///
/// It keeps the session, which would close with its last reference.
@MainActor
final class WebAuthenticationVisit: NSObject, ASWebAuthenticationPresentationContextProviding {
    private typealias Ending = Result<URL, OAuthClientError>

    /// Takes the first outcome and ignores all others: the system reports from any thread, and some outcomes twice or
    /// never.
    private final class Outcome: Sendable {
        private let continuation: Mutex<CheckedContinuation<Ending, Never>?>

        init(_ continuation: CheckedContinuation<Ending, Never>) {
            self.continuation = Mutex(continuation)
        }

        func end(_ ending: Ending) {
            continuation.withLock { $0.take() }?.resume(returning: ending)
        }
    }

    private let prefersEphemeralSession: Bool
    private let anchor: @MainActor @Sendable () -> ASPresentationAnchor
    private var session: ASWebAuthenticationSession?
    private var outcome: Outcome?

    init(
        prefersEphemeralSession: Bool,
        presentationAnchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor
    ) {
        self.prefersEphemeralSession = prefersEphemeralSession
        anchor = presentationAnchor
        super.init()
    }

    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor {
        anchor()
    }

    /// Shows a page and waits until the browser is redirected to the target.
    func callback(from url: URL, to target: WebCallbackTarget) async throws(OAuthClientError) -> URL {
        defer { (session, outcome) = (nil, nil) }
        let ending = await withTaskCancellationHandler {
            await withCheckedContinuation { start(url, target, Outcome($0)) }
        } onCancel: {
            Task { @MainActor in self.cancel() }
        }
        return try ending.get()
    }

    private func start(_ url: URL, _ target: WebCallbackTarget, _ outcome: Outcome) {
        // If the cancellation came first, its handler found nothing to cancel.
        guard !Task.isCancelled else { return outcome.end(.failure(Self.cancelled)) }
        // Without @Sendable the closure would be isolated to the main actor, and the process would end when the system
        // calls it on another thread.
        let finish: @Sendable (URL?, (any Error)?) -> Void = { url, error in
            outcome.end(url.map { .success($0) } ?? .failure(Self.failure(error, target)))
        }
        let session = ASWebAuthenticationSession(url: url, callback: target.callback, completionHandler: finish)
        session.presentationContextProvider = self
        session.prefersEphemeralWebBrowserSession = prefersEphemeralSession
        (self.session, self.outcome) = (session, outcome)
        // If the system gives a reason, it comes through the handler.
        if !session.start() { outcome.end(.failure(Self.unavailable(nil))) }
    }

    /// The system does not guarantee that it calls the handler of a session that the app cancels.
    private func cancel() {
        session?.cancel()
        outcome?.end(.failure(Self.cancelled))
    }

    private nonisolated static let cancelled = OAuthClientError(.cancelled, "the sign-in was cancelled")

    private nonisolated static func unavailable(_ error: (any Error)?) -> OAuthClientError {
        OAuthClientError(
            .browserUnavailable,
            "the system shows no browser: there must be a window in the foreground to show it above",
            underlying: error
        )
    }

    private nonisolated static func failure(_ error: (any Error)?, _ target: WebCallbackTarget) -> OAuthClientError {
        guard let error = error as? ASWebAuthenticationSessionError else {
            return OAuthClientError(.userAgentFailed, "the system's browser failed", underlying: error)
        }
        switch error.code {
        // With details, the user did not close the browser: the system rejects the app.
        case .canceledLogin where error.errorUserInfo.isEmpty:
            return OAuthClientError(.cancelled, "the person closed the browser", underlying: error)
        case .canceledLogin:
            return OAuthClientError(.userAgentFailed, refusal(of: target), underlying: error)
        case .presentationContextNotProvided, .presentationContextInvalid:
            return unavailable(error)
        default:
            return OAuthClientError(.userAgentFailed, "the system's browser failed", underlying: error)
        }
    }

    private nonisolated static func refusal(of target: WebCallbackTarget) -> String {
        switch target {
        case .https(let host, _):
            "the system refuses the callback: \(host) and the app must name one another, under webcredentials"
        case .customScheme(let scheme):
            "the system refuses the callback with the scheme \(scheme)"
        }
    }
}
#endif
