// SPDX-License-Identifier: Apache-2.0

import StrictJSON

/// What a check of `keybound doctor` found.
struct DoctorFinding: Sendable {
    /// How bad it is, from nothing to what stops a server or a sign-in.
    enum Severity: String, Sendable {
        case good = "ok"
        /// Nothing to do, but worth knowing.
        case note
        /// Works, with a risk.
        case warning
        /// Does not work, or is not safe.
        case failure = "FAIL"
    }

    let severity: Severity
    /// One sentence in lower case without a full stop; never a secret.
    let text: String
    /// What to do; `nil` when there is nothing to do.
    let advice: String?

    static func good(_ text: String) -> DoctorFinding {
        DoctorFinding(severity: .good, text: text, advice: nil)
    }

    static func note(_ text: String, _ advice: String? = nil) -> DoctorFinding {
        DoctorFinding(severity: .note, text: text, advice: advice)
    }

    static func warning(_ text: String, _ advice: String) -> DoctorFinding {
        DoctorFinding(severity: .warning, text: text, advice: advice)
    }

    static func failure(_ text: String, _ advice: String) -> DoctorFinding {
        DoctorFinding(severity: .failure, text: text, advice: advice)
    }

    /// What a library or another command threw, which says what to do itself.
    init(_ error: any Error) {
        let failure = CommandFailure(describing: error)
        self.init(
            severity: .failure,
            text: failure.message,
            advice: failure.hints.isEmpty ? nil : failure.hints.joined(separator: "; ")
        )
    }

    private init(severity: Severity, text: String, advice: String?) {
        self.severity = severity
        self.text = text
        self.advice = advice
    }
}
