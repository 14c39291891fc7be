// SPDX-License-Identifier: Apache-2.0

import DPoP

/// Why a guard rejected a request, for the operator of the API.
///
/// Contains no token and no proof; of what the sender chose, only the method, the path and the scope of the token.
public struct RejectionReason: Sendable, Hashable, CustomStringConvertible {
    /// The check that failed: `credentials`, `access-token`, `confirmation`, `scope`, `claims`, `authentication`,
    /// `availability`, or the ``/DPoP/ProofStep/name`` of a step of the proof.
    public let check: String
    /// The document and section of the rule, such as `RFC 9449 section 4.3, check 9`.
    public let section: String
    /// What the request had to have, such as `htu = https://api.example.com/notes`; `nil` if there is no one value.
    public let expected: String?
    /// What it had, if that is no secret: a scheme, a scope, an age in seconds; `nil` otherwise.
    public let found: String?

    init(_ check: String, _ section: String, expected: String? = nil, found: String? = nil) {
        self.check = check
        self.section = section
        self.expected = expected
        self.found = found
    }

    /// The step of a proof that failed, and what the request demands of it.
    init(_ step: ProofStep?, of request: ExpectedRequest?) {
        let expected: String? =
            switch (step, request) {
            case (.targetURI?, let request?): "htu = \(request.targetURI)"
            case (.method?, let request?): "htm = \(request.method)"
            case (.keyBinding?, let request?): request.thumbprint.map { "jkt = \($0)" }
            default: nil
            }
        self.init(step?.name ?? "target", step?.section ?? "RFC 9449 section 4.2", expected: expected)
    }

    /// One line for a log.
    public var description: String {
        let parts = [expected.map { "expected \($0)" }, found.map { "found \($0)" }].compactMap(\.self)
        return ([check, section] + parts).joined(separator: ", ")
    }
}
