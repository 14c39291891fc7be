// SPDX-License-Identifier: Apache-2.0

import DPoP
import Foundation
import HTTPMessage
import JOSE
import PKCE

/// One client with a key of its own that sends a request, waits for the answer, and sends the next.
actor LoadWorker {
    private let executor = LoadExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private let plan: LoadPlan
    private let proofs: DPoPProofFactory
    private let (tokenURI, userInfoURI): (TargetURI, TargetURI)
    private let authorization: String
    private var connection: LoadConnection
    private var nonce: String?
    private var codes: [(code: String, verifier: CodeVerifier)] = []
    private var accessToken = ""
    private var refreshToken = ""

    init(_ plan: LoadPlan) throws {
        self.plan = plan
        proofs = DPoPProofFactory(key: try SoftwareSigningKey(generating: .es256))
        tokenURI = try TargetURI(parsing: plan.origin + plan.tokenPath)
        userInfoURI = try TargetURI(parsing: plan.origin + plan.userInfoPath)
        let credentials = Data("\(plan.confidentialClient):\(plan.secret)".utf8).base64EncodedString()
        authorization = "Basic \(credentials)"
        connection = try LoadConnection(port: plan.port)
    }

    /// What a row needs before it is measured.
    func prepare(_ row: LoadRow) async throws {
        switch row {
        case .clientCredentials: try await perform(row)
        case .authorize: codes = []
        case .code: break
        case .refresh, .userInfo:
            codes = []
            try await perform(.authorize)
            try await perform(.code)
        }
    }

    /// Does the work of a row until a time of the clock on the wall.
    func run(_ row: LoadRow, until end: Double) async -> LoadResult {
        var result = LoadResult()
        var start = ThreadTime.wall()
        while start < end, row != .code || !codes.isEmpty {
            do {
                try await perform(row)
                let now = ThreadTime.wall()
                result.latencies.append(now - start)
                start = now
            } catch {
                result.add(failure: "\(error)")
                guard result.failures < 100, reconnect() else { return result }
                start = ThreadTime.wall()
            }
        }
        return result
    }

    private func reconnect() -> Bool {
        guard let new = try? LoadConnection(port: plan.port) else { return false }
        connection = new
        return true
    }

    private func perform(_ row: LoadRow) async throws {
        switch row {
        case .clientCredentials:
            _ = try await token([("grant_type", "client_credentials"), ("scope", plan.serviceScope)], isService: true)
        case .authorize: try authorize()
        case .code: try await exchangeCode()
        case .refresh:
            let answer = try await token([
                ("grant_type", "refresh_token"), ("refresh_token", refreshToken), ("client_id", plan.publicClient),
            ])
            try keepTokens(answer)
        case .userInfo: try await askUserInfo()
        }
    }

    private func authorize() throws {
        let verifier = CodeVerifier()
        let query = Self.encode([
            ("response_type", "code"), ("client_id", plan.publicClient), ("redirect_uri", plan.redirectURI),
            ("scope", plan.scope), ("state", "a-state-of-the-client"), ("nonce", "a-nonce-of-the-client"),
            ("code_challenge", verifier.s256Challenge.value), ("code_challenge_method", "S256"),
        ])
        let target = "\(plan.authorizePath)?\(query)\(plan.authorizeSuffix)"
        let answer = try connection.exchange("GET", target, fields: [("Cookie", plan.cookie)])
        guard let code = answer.code else { throw BenchmarkError("authorize: no code: \(answer.summary)") }
        codes.append((code, verifier))
    }

    private func exchangeCode() async throws {
        guard let (code, verifier) = codes.popLast() else { throw BenchmarkError("no code is left") }
        let answer = try await token([
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", plan.redirectURI),
            ("client_id", plan.publicClient), ("code_verifier", verifier.text),
        ])
        try keepTokens(answer)
    }

    private func keepTokens(_ answer: LoadAnswer) throws {
        guard let access = answer.member("access_token"), let refresh = answer.member("refresh_token") else {
            throw BenchmarkError("an answer without both tokens")
        }
        (accessToken, refreshToken) = (access, refresh)
    }

    private func token(_ form: [(String, String)], isService: Bool = false) async throws -> LoadAnswer {
        let body = Self.encode(form)
        let answer = try await withProof("POST", tokenURI, accessToken: nil) { proof in
            let fields = [("DPoP", proof)] + (isService ? [("Authorization", authorization)] : [])
            return try connection.exchange("POST", plan.tokenPath, fields: fields, body: body)
        }
        guard answer.status == 200, answer.member("token_type")?.lowercased() == "dpop" else {
            throw BenchmarkError("token: \(answer.summary)")
        }
        return answer
    }

    private func askUserInfo() async throws {
        let answer = try await withProof("GET", userInfoURI, accessToken: accessToken) { proof in
            let fields = [("Authorization", "DPoP \(accessToken)"), ("DPoP", proof)]
            return try connection.exchange("GET", plan.userInfoPath, fields: fields)
        }
        guard answer.status == 200, answer.member("sub") != nil else {
            throw BenchmarkError("userinfo: \(answer.summary)")
        }
    }

    /// Sends a request with a fresh proof; once more when the server asks for a nonce.
    private func withProof(
        _ method: String,
        _ uri: TargetURI,
        accessToken: String?,
        send: (String) throws -> LoadAnswer
    ) async throws -> LoadAnswer {
        for attempt in 0... {
            let used = nonce
            let proof = try await proofs.proof(method: method, targetURI: uri, accessToken: accessToken, nonce: used)
            let answer = try send(proof)
            if let offered = answer.value(of: "dpop-nonce") { nonce = offered }
            if answer.status < 400 || nonce == used || attempt > 0 { return answer }
        }
        preconditionFailure("the loop has no end of its own")
    }

    private static func encode(_ parameters: [(String, String)]) -> String {
        var form = FormParameters()
        for (name, value) in parameters { form.append(name, value) }
        return form.encoded()
    }
}
