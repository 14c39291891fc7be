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
            outcome.end(url.map { .success($0) } ?? .failure(target.failure(error)))
        }
        let session = ASWebAuthenticationSession(url: url, callback: target.callback, completionHandler: finish)
        session.presentationContextProvider = self
        session.prefersEphemeralWebBrowserSession = prefersEphemeralSession
        (self.session, self.outcome) = (session, outcome)
        // If the system gives a reason, it comes through the handler.
        if !session.start() { outcome.end(.failure(WebCallbackTarget.unavailable(nil))) }
    }

    /// The system does not guarantee that it calls the handler of a session that the app cancels.
    private func cancel() {
        session?.cancel()
        outcome?.end(.failure(Self.cancelled))
    }

    private nonisolated static let cancelled = OAuthClientError(.cancelled, "the sign-in was cancelled")

}
#endif
