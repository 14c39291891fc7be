// SPDX-License-Identifier: Apache-2.0

/// The header fields of attestation-based client authentication
/// (draft-ietf-oauth-attestation-based-client-auth-11 sections 4 and 5.1).
public enum ClientAttestationField {
    /// The attestation: one JWT, signed by the attester of the client.
    public static let attestation = "OAuth-Client-Attestation"
    /// The proof of possession of the mode that Keybound does not have: its proof is the DPoP proof (section 5.2).
    public static let proofOfPossession = "OAuth-Client-Attestation-PoP"
}
