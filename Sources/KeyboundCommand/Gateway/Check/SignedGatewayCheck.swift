// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem

/// Tries to get past a gateway with a good token and its key: each request but the good ones has one thing wrong.
///
/// The token goes to the origin of the URL alone, and is in no finding.
struct SignedGatewayCheck {
    /// What a request presents; at first, what is right.
    private struct Presented {
        var scheme = "DPoP"
        var token: String
        /// `nil` for no proof.
        var proof: Proof?
    }

    /// What a proof says.
    private struct Proof {
        var method: String
        var address: String
        /// The token that `ath` is of.
        var token: String
        var nonce: String?
        var factory: DPoPProofFactory
    }

    private let url: CheckedURL
    private let echoPath: String?
    private let token: String
    private let factory: DPoPProofFactory
    private let stranger: DPoPProofFactory
    private let marker: String
    /// The newest nonce of the gateway.
    private var nonce: String?

    /// - Parameters:
    ///   - url: The URL; a `GET` with the token must succeed.
    ///   - echoPath: A path of the API that returns the fields that it got.
    ///   - token: The access token.
    ///   - key: The key that the token is bound to.
    ///   - stranger: Another key.
    ///   - entropy: What makes identifiers of proofs.
    init(
        _ url: CheckedURL,
        echoPath: String?,
        token: String,
        key: any SigningKey,
        stranger: any SigningKey,
        entropy: any Entropy = SystemEntropy()
    ) {
        self.url = url
        self.echoPath = echoPath
        self.token = token
        factory = DPoPProofFactory(key: key, entropy: entropy)
        self.stranger = DPoPProofFactory(key: stranger, entropy: entropy)
        marker = GatewayCheck.marker(entropy)
    }

    /// What was tried; only ``goodRequest`` if that is refused, as then nothing can be concluded from other refusals.
    mutating func findings() async throws -> [GatewayFinding] {
        let (answer, demandsNonce) = try await goodAnswer()
        guard let good = answer.passed else { return [GatewayFinding(Self.goodRequest, .unknown(answer.reason))] }
        var findings = [GatewayFinding(Self.goodRequest, .good), Self.leaks(good)]
        findings.append(try await again())
        findings.append(try await twiceAtOnce())
        for (name, change) in proofs(demandsNonce) { findings.append(try await refused(name, change)) }
        for (name, change) in credentials() { findings.append(try await refused(name, change)) }
        findings += try await otherRequests()
        if let echoPath { findings += try await stripping(echoPath) }
        return findings
    }

    static let goodRequest = "a good request"

    /// Sends a good request, and once more with the nonce that it lacked (RFC 9449 section 9).
    private mutating func goodAnswer() async throws -> (answer: GatewayAnswer, demandsNonce: Bool) {
        let first = try await send(url.path, presented())
        guard first.error == "use_dpop_nonce", nonce != nil else { return (first, false) }
        return (try await send(url.path, presented()), true)
    }

    // MARK: One thing wrong

    /// RFC 9449 section 11.1: a proof is good once.
    private mutating func again() async throws -> GatewayFinding {
        let name = "the same proof again"
        let fields = try await fields(presented())
        let first = await send(url.path, fields)
        guard first.passed != nil else { return GatewayFinding(name, .unknown(first.reason)) }
        return GatewayFinding(name, await send(url.path, fields).refusal)
    }

    private mutating func twiceAtOnce() async throws -> GatewayFinding {
        let fields = try await fields(presented())
        let url = url
        async let first = GatewayAnswer(from: url, fields: fields)
        async let second = GatewayAnswer(from: url, fields: fields)
        let answers = await [first, second]
        let name = "one proof, twice at once"
        switch answers.count(where: { $0.passed != nil }) {
        case 1: return GatewayFinding(name, .good)
        case 2: return GatewayFinding(name, .weak("both requests passed"))
        default: return GatewayFinding(name, .unknown(answers[0].reason))
        }
    }

    /// Proofs that do not fit the request, the token or the key (RFC 9449 section 4.3, checks 8 to 12).
    private func proofs(_ demandsNonce: Bool) -> [(String, (inout Presented) -> Void)] {
        let (path, stranger) = (url.path, stranger)
        let isPlain = url.url.scheme == "http"
        let authority = url.origin.split(separator: "/").last.map(String.init) ?? ""
        let otherScheme = (isPlain ? "https://" : "http://") + authority + path
        let port = url.url.port == 1 ? 2 : 1
        let otherPort = "\(url.url.scheme)://\(url.url.host ?? ""):\(port)\(path)"
        let otherPath = url.origin + (path.hasSuffix("/") ? path : path + "/") + "other"
        var proofs: [(String, (inout Presented) -> Void)] = [
            ("a proof for another method", { $0.proof?.method = "POST" }),
            ("a proof for another path", { $0.proof?.address = otherPath }),
            ("a proof for another host", { $0.proof?.address = "https://evil.invalid" + path }),
            ("a proof for another scheme", { $0.proof?.address = otherScheme }),
            ("a proof for another port", { $0.proof?.address = otherPort }),
            ("a proof by another key", { $0.proof?.factory = stranger }),
            ("a proof for another token", { $0.proof?.token = "made-up" }),
        ]
        if demandsNonce {
            proofs.append(("a proof without a nonce", { $0.proof?.nonce = nil }))
            proofs.append(("a proof with a made-up nonce", { $0.proof?.nonce = "made-up" }))
        }
        return proofs
    }

    private func credentials() -> [(String, (inout Presented) -> Void)] {
        let changed = Self.changingSignature(of: token)
        return [
            ("no proof", { $0.proof = nil }),
            (
                "a changed token",
                { presented in
                    presented.token = changed
                    presented.proof?.token = changed
                }
            ),
            // RFC 9449 section 7.2: a bound token is no Bearer token.
            (
                "the token as Bearer",
                { presented in
                    presented.scheme = "Bearer"
                    presented.proof = nil
                }
            ), ("the token as Bearer, with a proof", { $0.scheme = "Bearer" }),
        ]
    }

    private mutating func refused(
        _ name: String,
        _ change: (inout Presented) -> Void
    ) async throws -> GatewayFinding {
        var presented = presented()
        change(&presented)
        return GatewayFinding(name, try await send(url.path, presented).refusal)
    }

    /// Requests for which the proof is good, or that carry more than one token or proof.
    private mutating func otherRequests() async throws -> [GatewayFinding] {
        var findings: [GatewayFinding] = []
        var changed = try await fields(presented())
        changed["DPoP"] = changed["DPoP"].map(Self.changingSignature)
        findings.append(GatewayFinding("a changed proof", await send(url.path, changed).refusal))
        for (name, field, value) in [("two proofs", "DPoP", "a.b.c"), ("two tokens", "Authorization", "DPoP made-up")] {
            var doubled = try await fields(presented())
            doubled.append(name: field, value: value)
            findings.append(GatewayFinding(name, await send(url.path, doubled).refusal))
        }
        // RFC 6750 section 2: a token in one place only. A real one would end up in logs.
        let query = try await send(url.path + "?access_token=made-up", presented())
        findings.append(GatewayFinding("a second token in the query", query.refusal))
        let head = await send(url.path, try await fields(presented()), method: "HEAD")
        findings.append(GatewayFinding("HEAD with a proof for GET", head.refusal))
        if url.path != "/" {
            let other = url.path.hasSuffix("/") ? String(url.path.dropLast()) : url.path + "/"
            let answer = try await send(other, presented())
            findings.append(GatewayFinding("another final slash than the proof's", answer.refusal))
        }
        let change = await GatewayAnswer(askingForHTTP2: url, fields: try await fields(presented()))
        if let new = change.nonce { nonce = new }
        findings.append(GatewayFinding("a change to HTTP/2 (h2c) with a good request", change.refusalOfHTTP2))
        for method in ["TRACE", "get"] {
            var presented = presented()
            presented.proof?.method = method
            let answer = await send(url.path, try await fields(presented), method: method)
            findings.append(GatewayFinding("the method \(method) with a proof for it", answer.refusalOfMethod))
        }
        return findings
    }

    /// What reaches the API with a good request: of the token, the proof, and what the client said in the proxy's name.
    private mutating func stripping(_ path: String) async throws -> [GatewayFinding] {
        var findings: [GatewayFinding] = []
        for name in GatewayCheck.strippedNames {
            let (answer, _) = try await echoed(path, [HTTPFields.Field(name: name, value: marker)])
            findings.append(GatewayFinding("\(name) at the API, with a good request", answer.absence(of: marker)))
        }
        let (answer, sent) = try await echoed(path, [])
        for name in ["Authorization", "DPoP"] {
            let secret = sent[name].map { String($0.split(separator: " ").last ?? "") } ?? ""
            findings.append(GatewayFinding("\(name) at the API", answer.absence(of: secret)))
        }
        return findings
    }

    private mutating func echoed(
        _ path: String,
        _ more: [HTTPFields.Field]
    ) async throws -> (answer: GatewayAnswer, sent: HTTPFields) {
        var presented = presented()
        presented.proof?.address = url.origin + path
        let sent = HTTPFields(try await fields(presented).all + more)
        return (await send(path, sent), sent)
    }

    /// What is between proxy and gateway only, and tells clients how requests are decided about.
    private static func leaks(_ answer: HTTPResponse) -> GatewayFinding {
        let names = answer.fields.all.map(\.name).filter { $0.lowercased().hasPrefix("x-keybound") }
        let detail = "the client gets \(SafeText.of(names.sorted().joined(separator: ", ")))"
        return GatewayFinding("the gateway's fields in the answer", names.isEmpty ? .good : .weak(detail))
    }

    // MARK: Requests

    private func presented() -> Presented {
        let proof = Proof(method: "GET", address: url.address, token: token, nonce: nonce, factory: factory)
        return Presented(token: token, proof: proof)
    }

    private func fields(_ presented: Presented) async throws -> HTTPFields {
        var fields: HTTPFields = ["Authorization": "\(presented.scheme) \(presented.token)"]
        if let proof = presented.proof {
            fields["DPoP"] = try await proof.factory.proof(
                method: proof.method,
                targetURI: TargetURI(parsing: proof.address),
                accessToken: proof.token,
                nonce: proof.nonce
            )
        }
        return fields
    }

    private mutating func send(_ path: String, _ presented: Presented) async throws -> GatewayAnswer {
        await send(path, try await fields(presented))
    }

    private mutating func send(_ path: String, _ fields: HTTPFields, method: String = "GET") async -> GatewayAnswer {
        let answer = await GatewayAnswer(from: url, path: path, fields: fields, method: method)
        if let new = answer.nonce { nonce = new }
        return answer
    }

    /// The same text with another first character after the last dot: a signature that does not verify.
    private static func changingSignature(of token: String) -> String {
        let start = token.lastIndex(of: ".").map { token.index(after: $0) } ?? token.startIndex
        guard start < token.endIndex else { return token + "A" }
        let other = token[start] == "A" ? "B" : "A"
        return token[..<start] + other + token[token.index(after: start)...]
    }
}
