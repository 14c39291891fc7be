// SPDX-License-Identifier: Apache-2.0

extension Setting {
    static let attesters = Setting(
        "attesters",
        .descriptions,
        option: "--attester",
        "NAME={...}",
        standard: "none",
        "a service that attests the keys of clients (draft-ietf-oauth-attestation-based-client-auth): jwks (a file with "
            + "its public keys, 16 at most, each with a kid), clients (the client_ids that it may speak for), maximumAge "
            + "(how long an attestation is accepted; 24h, at most 7d)"
    )

    /// Who vouches for copies of an app.
    static let attestation: [Setting] = [attesters]
}
