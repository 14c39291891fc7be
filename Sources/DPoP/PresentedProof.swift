// SPDX-License-Identifier: Apache-2.0

/// A proof as it came, and the request that it came with: for callers that hold several.
public struct PresentedProof: Sendable {
    /// The values of all `DPoP` fields of the request, not split and not joined.
    public var fieldValues: [String]
    /// The request.
    public var expectation: ExpectedRequest

    /// Brings both together.
    ///
    /// - Parameters:
    ///   - fieldValues: The values of all `DPoP` fields of the request, not split and not joined.
    ///   - expectation: The request.
    public init(_ fieldValues: [String], for expectation: ExpectedRequest) {
        (self.fieldValues, self.expectation) = (fieldValues, expectation)
    }
}
