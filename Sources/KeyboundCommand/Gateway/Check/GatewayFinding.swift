// SPDX-License-Identifier: Apache-2.0

/// The result of one attempt to get past a gateway.
struct GatewayFinding: Sendable {
    enum Verdict: String, Sendable {
        /// The attempt failed as it must.
        case ok
        /// It had an effect.
        case weak = "WEAK"
        /// The answer does not tell.
        case unknown = "?"
    }

    /// Whether an answer is as it must be; otherwise what it means.
    enum Judgement {
        case good
        case weak(String)
        case unknown(String)

        /// After 101, no program reads requests on the connection (RFC 9110 section 7.8).
        static let tunnel = Judgement.weak("the connection changes to HTTP/2: further requests on it pass unchecked")
    }

    /// What was tried.
    let name: String
    let verdict: Verdict
    /// What the answer was, and what it means; empty for ``Verdict/ok``.
    let detail: String

    init(_ name: String, _ judgement: Judgement) {
        self.name = name
        (verdict, detail) =
            switch judgement {
            case .good: (.ok, "")
            case .weak(let detail): (.weak, detail)
            case .unknown(let detail): (.unknown, detail)
            }
    }

    var line: String {
        let verdict = verdict.rawValue + String(repeating: " ", count: 5 - verdict.rawValue.count)
        return "\(verdict)\(name)" + (detail.isEmpty ? "" : "\n     \(detail)")
    }
}
