// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What the person and the system do with a session. One test at a time.
public enum FakeBrowser {
    /// The app let go of its session while the browser was open.
    public struct Forgotten: Error {}

    public struct Answer: @unchecked Sendable {
        public let url: URL?
        public let error: (any Error)?

        public init(url: URL? = nil, error: (any Error)? = nil) {
            self.url = url
            self.error = error
        }
    }

    public struct Visit: Sendable, Equatable {
        public let url: String
        public let callback: String
        public let isEphemeral: Bool

        public init(url: String, callback: String, isEphemeral: Bool) {
            self.url = url
            self.callback = callback
            self.isEphemeral = isEphemeral
        }
    }

    private struct State {
        var answer: (@Sendable () -> Answer)?
        var startsSessions = true
        var reportsCancellation = true
        var reportsTwice = false
        var cancellations = 0
        var visits: [Visit] = []
        var shown: [ObjectIdentifier] = []
    }

    private static let lock = NSLock()
    // The lock guards it.
    nonisolated(unsafe) private static var state = State()

    private static func withState<Value>(_ body: (inout State) -> Value) -> Value {
        lock.lock()
        defer { lock.unlock() }
        return body(&state)
    }

    public static func reset() { withState { $0 = State() } }
    public static var visits: [Visit] { withState { $0.visits } }
    public static var cancellations: Int { withState { $0.cancellations } }
    /// What the browser comes back with; without it, nobody ever does.
    public static func setAnswer(_ answer: @escaping @Sendable () -> Answer) { withState { $0.answer = answer } }
    public static func setStartsSessions(_ starts: Bool) { withState { $0.startsSessions = starts } }
    public static func setReportsCancellation(_ reports: Bool) { withState { $0.reportsCancellation = reports } }
    public static func setReportsTwice(_ reports: Bool) { withState { $0.reportsTwice = reports } }

    static var reportsCancellation: Bool { withState { $0.reportsCancellation } }
    static var reportsTwice: Bool { withState { $0.reportsTwice } }
    static func noteCancellation() { withState { $0.cancellations += 1 } }
    static func isShown(_ session: ASWebAuthenticationSession) -> Bool {
        withState { $0.shown.contains(ObjectIdentifier(session)) }
    }
    static func answer(_ session: ASWebAuthenticationSession) -> Answer? { withState { $0.answer }?() }

    static func show(_ session: ASWebAuthenticationSession) -> Bool {
        withState { state in
            guard state.startsSessions else { return false }
            state.shown.append(ObjectIdentifier(session))
            let visit = Visit(
                url: session.url.absoluteString,
                callback: session.callback.text,
                isEphemeral: session.prefersEphemeralWebBrowserSession
            )
            state.visits.append(visit)
            return true
        }
    }
}
