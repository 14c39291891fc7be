// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem

/// A stage at which the parameters of a request are known.
protocol FormStage: Sendable {
    var form: FormRequest { get }
}

extension FormStage {
    var http: HTTPRequest { form.received.http }
    var now: Timestamp { form.received.now }
    var parameters: FormParameters { form.parameters }

    /// The value of a parameter; empty counts as absent, and a repeated one is rejected (RFC 6749 section 3.1).
    func parameter(_ name: String) throws(ProtocolFailure) -> String? {
        do {
            return try parameters.value(for: name)
        } catch {
            throw ProtocolFailure(.invalidRequest, "the parameter '\(name)' occurs more than once")
        }
    }

    /// The value of a parameter that must be there.
    func requiredParameter(_ name: String) throws(ProtocolFailure) -> String {
        guard let value = try parameter(name) else {
            throw ProtocolFailure(.invalidRequest, "the parameter '\(name)' is missing")
        }
        return value
    }
}
