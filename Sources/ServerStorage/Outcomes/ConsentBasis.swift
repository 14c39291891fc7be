// SPDX-License-Identifier: Apache-2.0

/// Why a code may be given out: the consent that it rests on.
public enum ConsentBasis: Sendable, Hashable {
    /// The person was asked now, and is asked the next time.
    case given
    /// The person was asked now; what they allowed is stored with the code, beside what they had allowed before.
    case givenToRemember(RememberedConsent)
    /// The person was asked before: the consent that is described must be stored, with that scope or more.
    case remembered(RememberedConsent)

    /// Whether the person was asked now.
    package var isGivenNow: Bool {
        if case .remembered = self { false } else { true }
    }
}
