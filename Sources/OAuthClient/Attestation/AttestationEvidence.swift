// SPDX-License-Identifier: Apache-2.0

public import JOSE
public import StrictJSON

/// What an app shows an attester about its key and itself.
public protocol AttestationEvidence: Sendable {
    /// The evidence about a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - challenge: The challenge of the attester: 43 characters of base64url, 32 bytes. Evidence that can contain a
    ///     challenge must contain these bytes.
    /// - Returns: An object with the member `format` and those of that format.
    /// - Throws: Any error; the client reports ``OAuthClientError/Code/attestationFailed`` with it.
    func evidence(about key: any SigningKey, challenge: String) async throws -> JSONObject
}
