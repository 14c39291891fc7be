// SPDX-License-Identifier: Apache-2.0

/// The consent that allows a code to be issued.
public enum ConsentDecision: Sendable, Hashable {
    /// The user consented now and will be asked again next time.
    case given
    /// The user consented now.
    ///
    /// The consent is stored with the code and added to earlier consent.
    case givenToRemember(StoredConsent)
    /// The user consented earlier: this consent must be stored, with that scope or more.
    case remembered(StoredConsent)
    /// No consent is asked for: the client is one of the operator's own (OAuth 2.0 for First-Party Applications section
    /// 9.1).
    case notNeeded

    /// Whether the user consented now.
    package var isGivenNow: Bool {
        switch self {
        case .given, .givenToRemember: true
        case .remembered, .notNeeded: false
        }
    }
}
