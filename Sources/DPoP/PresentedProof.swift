// SPDX-License-Identifier: Apache-2.0

public import OAuthSystem

/// A received proof and its request, for callers that verify several at a time.
public struct PresentedProof: Sendable, RedactedSecret {
    /// The values of all `DPoP` fields of the request, not split and not joined.
    public var fieldValues: [String]
    /// The received request, with which the proof must agree.
    public var expectation: ExpectedRequest

    /// Pairs a proof with its request.
    ///
    /// - Parameters:
    ///   - fieldValues: The values of all `DPoP` fields of the request, not split and not joined.
    ///   - expectation: The request.
    public init(_ fieldValues: [String], for expectation: ExpectedRequest) {
        (self.fieldValues, self.expectation) = (fieldValues, expectation)
    }
}
