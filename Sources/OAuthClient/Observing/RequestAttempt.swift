// SPDX-License-Identifier: Apache-2.0

/// What a request is for, and how often it was sent.
struct RequestAttempt: Sendable {
    let purpose: RequestReport.Purpose
    let grantType: String?
    /// How often the request was sent, with the next time.
    private(set) var number = 1
    /// Why it is sent again; `nil` for the first time.
    private(set) var reason: RequestReport.RetryReason?

    /// The first attempt.
    init(_ purpose: RequestReport.Purpose, grantType: String? = nil) {
        self.purpose = purpose
        self.grantType = grantType
    }

    /// Notes that the request is sent again.
    mutating func repeats(because reason: RequestReport.RetryReason) {
        number += 1
        self.reason = reason
    }
}
