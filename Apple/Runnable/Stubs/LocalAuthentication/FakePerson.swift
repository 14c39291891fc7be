// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Who is asked before a key signs.
public enum FakePerson {
    private struct State {
        var refusal: LAError.Code?
        var reasons: [String] = []
    }

    private static let state = Mutex(State())

    /// What the person was shown.
    public static var reasons: [String] { state.withLock(\.reasons) }

    public static func reset() {
        state.withLock { $0 = State() }
    }

    /// How the person refuses from now on; `nil` to agree.
    public static func refuse(_ code: LAError.Code?) {
        state.withLock { $0.refusal = code }
    }

    static func answer(_ reason: String) throws {
        let refusal = state.withLock { state in
            state.reasons.append(reason)
            return state.refusal
        }
        if let refusal { throw LAError(refusal) }
    }
}
