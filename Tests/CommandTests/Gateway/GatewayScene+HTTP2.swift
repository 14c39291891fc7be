// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension GatewayScene {
    /// The fields of a request over HTTP/2 for `/notes` of the first API, with a good token and proof unless something
    /// else is given.
    func fields(
        to address: String? = nil,
        token audience: String? = nil,
        authority: String? = nil,
        nonce: String?
    ) async throws -> [HTTP2Client.Field] {
        let address = address ?? self.address
        let token = try await issuer.token(for: audience ?? address)
        let proof = try await issuer.proof("GET", address + "/notes", token, nonce: nonce)
        return [
            (":method", "GET"), (":scheme", "https"),
            (":authority", authority ?? String(address.dropFirst("https://".count))),
            (":path", "/notes"), ("authorization", "DPoP \(token)"), ("dpop", proof),
        ]
    }

    /// A nonce of the gateway, which has no keys at first.
    func nonceOverHTTP2() async throws -> String {
        for _ in 0..<40 {
            let answer = try await HTTP2Client.send([fields(nonce: nil)], to: self)[0]
            if let nonce = answer.values("dpop-nonce").first { return nonce }
        }
        throw NoNonce()
    }
}
#endif
