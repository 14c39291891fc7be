// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthSystem

extension FormRequest {
    /// The most APIs that one request may name.
    private static let maximumResources = 16

    /// The values of `resource` without duplicates; empty ones count as absent (RFC 6749 section 3.1).
    func requestedResources() throws(ProtocolFailure) -> [String] {
        let values = parameters.values(for: FormParameters.repeatableName).filter { !$0.isEmpty }
        guard values.count <= Self.maximumResources else { throw .targetRejected }
        var distinct: [String] = []
        for value in values where !distinct.contains(where: { $0.isIdentical(to: value) }) { distinct.append(value) }
        return distinct
    }
}

extension FormParameters {
    /// The only parameter that may be repeated (RFC 8707 section 2).
    static let repeatableName = "resource"

    /// Whether any other parameter is repeated (RFC 6749 section 3.1).
    var hasRepetition: Bool {
        firstRepeatedName(except: Self.repeatableName) != nil
    }
}
