// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem

/// A stage at which the parameters of the request are known.
protocol FormStage: Sendable {
    var form: FormRequest { get }
}

extension FormStage {
    var http: HTTPRequest { form.received.http }
    var now: Timestamp { form.received.now }
    var parameters: FormParameters { form.parameters }

    /// The value of a parameter.
    ///
    /// An empty value counts as absent; a repeated parameter is rejected (RFC 6749 section 3.1).
    func parameter(_ name: String) throws(ProtocolFailure) -> String? {
        do {
            return try parameters.value(for: name)
        } catch {
            throw ProtocolFailure(.invalidRequest, "the parameter '\(name)' occurs more than once")
        }
    }

    /// The value of a required parameter.
    func requiredParameter(_ name: String) throws(ProtocolFailure) -> String {
        guard let value = try parameter(name) else {
            throw ProtocolFailure(.invalidRequest, "the parameter '\(name)' is missing")
        }
        return value
    }
}
