// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import StrictJSON
import Synchronization

/// An API behind a guard that leaves one check out.
final class LenientAPI: HTTPTransport {
    /// What a guard must look at.
    enum Check: String, CaseIterable, Sendable {
        case method, query, tokenCount, scheme, token, proofCount, proof, signature, key, htm, htu, ath, nonce,
            madeUpNonce
        case replay, identity, authorizationField, proofField, secrecy, protocolChange
    }

    private struct Memory {
        var used: Set<String> = []
        var ath: String?
        var requests = 0
    }

    static let origin = "https://api.example.com"

    private let missing: Check?
    private let token: String
    private let key: JWKThumbprint
    private let memory = Mutex(Memory())

    init(without missing: Check?, token: String, key: JWKThumbprint) {
        self.missing = missing
        self.token = token
        self.key = key
    }

    /// How many requests came.
    var requests: Int { memory.withLock { $0.requests } }

    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
        memory.withLock { $0.requests += 1 }
        if let refusal = refusal(of: request) { return refusal }
        if missing == .protocolChange, request.fields["Upgrade"] == "h2c" { return HTTPResponse(status: 101) }
        let fields: HTTPFields = missing == .secrecy ? ["X-Keybound-Nonce": "n"] : [:]
        let lines = request.fields.all.filter(passes).map { "\($0.name): \($0.value)\n" }
        return HTTPResponse(status: 200, fields: fields, body: Array(lines.joined().utf8))
    }

    private func passes(_ field: HTTPFields.Field) -> Bool {
        switch field.name {
        case "Authorization": missing == .authorizationField
        case "DPoP": missing == .proofField
        default: missing == .identity
        }
    }

    private func demands(_ check: Check, _ condition: @autoclosure () -> Bool) -> Bool {
        missing == check || condition()
    }

    private func refusal(of request: HTTPRequest) -> HTTPResponse? {
        let tokens = request.fields.values(for: "Authorization")
        let proofs = request.fields.values(for: "DPoP")
        let words = tokens.first?.split(separator: " ").map(String.init) ?? []
        let parts = request.target.split(separator: "?", maxSplits: 1).map(String.init)
        guard demands(.method, ["GET", "HEAD"].contains(request.method)) else { return HTTPResponse(status: 405) }
        guard demands(.query, parts.count == 1), demands(.tokenCount, tokens.count == 1), words.count == 2,
            demands(.scheme, words[0] == "DPoP"), demands(.token, words[1] == token),
            demands(.proofCount, proofs.count <= 1)
        else { return HTTPResponse(status: 401) }
        guard let proof = proofs.first else {
            return missing == .proof || words[0] == "Bearer" ? nil : HTTPResponse(status: 401)
        }
        return refusal(of: proof, parts[0], request.method, words[1])
    }

    private func refusal(of text: String, _ address: String, _ method: String, _ presented: String) -> HTTPResponse? {
        guard let proof = try? CompactJWS(parsing: text), let claims = try? proof.payloadObject(),
            let jwk = proof.header["jwk"]?.objectValue.flatMap({ try? JWK(parsing: $0) }),
            demands(.signature, (try? proof.verify(with: jwk, allowing: [.es256])) != nil),
            demands(.key, jwk.thumbprint == key), demands(.htm, claims["htm"] == .string(method)),
            demands(.htu, claims["htu"] == .string(address)),
            demands(.ath, presented != token || isFirst(claims["ath"]?.stringValue))
        else { return HTTPResponse(status: 401) }
        let nonce = claims["nonce"]?.stringValue
        guard
            nonce == "n" || (missing == .nonce && nonce == nil && claimedNonceBefore)
                || (missing == .madeUpNonce && nonce == "made-up")
        else {
            return HTTPResponse(
                status: 401,
                fields: ["DPoP-Nonce": "n", "WWW-Authenticate": "DPoP error=\"use_dpop_nonce\""]
            )
        }
        let isNew = memory.withLock { $0.used.insert(claims["jti"]?.stringValue ?? "").inserted }
        return demands(.replay, isNew) ? nil : HTTPResponse(status: 401)
    }

    /// The first proof is for the token.
    private func isFirst(_ hash: String?) -> Bool {
        memory.withLock { memory in
            memory.ath = memory.ath ?? hash
            return memory.ath == hash
        }
    }

    /// A guard that demands nonces at first only.
    private var claimedNonceBefore: Bool { memory.withLock { !$0.used.isEmpty } }
}
