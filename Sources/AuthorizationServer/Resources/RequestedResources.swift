// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem

extension FormRequest {
    /// The most APIs that one request names.
    private static let maximumResources = 16

    /// The values of `resource`, each once; empty ones count as absent (RFC 6749 section 3.1).
    func requestedResources() throws(ProtocolFailure) -> [String] {
        let values = parameters.values(for: FormParameters.repeatableName).filter { !$0.isEmpty }
        guard values.count <= Self.maximumResources else { throw .targetRejected }
        var distinct: [String] = []
        for value in values where !distinct.contains(where: { $0.isIdentical(to: value) }) { distinct.append(value) }
        return distinct
    }
}

extension FormParameters {
    /// The only parameter that may occur several times (RFC 8707 section 2).
    static let repeatableName = "resource"

    /// Whether a parameter that may occur once occurs again (RFC 6749 section 3.1).
    var hasRepetition: Bool {
        firstRepeatedName(except: Self.repeatableName) != nil
    }
}
