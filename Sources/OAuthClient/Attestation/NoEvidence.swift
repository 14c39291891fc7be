// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import StrictJSON

/// No evidence: the attester only sees that the app has the key, and must allow that by name.
public struct NoEvidence: AttestationEvidence {
    /// Makes it.
    public init() {}

    /// The format `none`.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - challenge: The challenge of the attester.
    /// - Returns: An object with nothing but the format.
    /// - Throws: Nothing.
    public func evidence(about key: any SigningKey, challenge: String) async throws -> JSONObject {
        ["format": "none"]
    }
}
