// SPDX-License-Identifier: Apache-2.0

import DPoP
import Foundation
import HTTPMessage
import JOSE
import PKCE

/// One client with its own key that sends a request, waits for the response, and sends the next.
actor LoadWorker {
    private let executor = LoadExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    let plan: LoadPlan
    private var port: UInt16
    let proofs: DPoPProofFactory
    let tokenURI: TargetURI
    private let userInfoURI: TargetURI
    private let apiURI: TargetURI?
    let authorization: String
    var connection: LoadConnection
    private(set) var nonce: String?
    private var codes: [LoadCode] = []
    private var accessToken = ""
    private var refreshToken = ""
    /// Continues the last sign-in without a browser.
    var authSession = ""

    /// Connects, by default with its own key and to the port of the plan.
    init(_ plan: LoadPlan, key: SoftwareSigningKey? = nil, port: UInt16? = nil) throws {
        self.plan = plan
        self.port = port ?? plan.port
        proofs = DPoPProofFactory(key: try key ?? SoftwareSigningKey(generating: .es256))
        tokenURI = try TargetURI(parsing: plan.origin + plan.tokenPath)
        userInfoURI = try TargetURI(parsing: plan.origin + plan.userInfoPath)
        apiURI = try plan.api.map { try TargetURI(parsing: $0.address + LoadWorker.apiPath) }
        let credentials = Data("\(plan.confidentialClient):\(plan.secret)".utf8).base64EncodedString()
        authorization = "Basic \(credentials)"
        connection = try LoadConnection(port: self.port)
    }

    /// Prepares a row for its measurement.
    func prepare(_ row: LoadRow) async throws {
        switch row {
        case .clientCredentials: try await perform(row)
        case .authorize: codes = []
        case .code, .firstParty: break
        case .firstPartyFinished: try await perform(.firstParty)
        case .refresh, .userInfo:
            codes = []
            try await perform(.authorize)
            try await perform(.code)
        case .api:
            guard let api = plan.api else { throw BenchmarkError("the plan has no API") }
            try await prepare(.userInfo)
            // From now on it speaks to the API only, which has nonces of its own.
            (port, nonce) = (api.port, nil)
            connection = try LoadConnection(port: port)
            try await perform(.api)
        }
    }

    /// Runs a row until a wall-clock time.
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
                // A token whose exchange failed may be used: without a new one, the remaining requests would be cheap
                // rejections.
                if row == .refresh, (try? await prepare(row)) != nil { result.others += 2 }
                start = ThreadTime.wall()
            }
        }
        return result
    }

    /// Reconnects; `false` if no process listens.
    func reconnect() -> Bool {
        guard let new = try? LoadConnection(port: port) else { return false }
        connection = new
        return true
    }

    private func perform(_ row: LoadRow) async throws {
        switch row {
        case .clientCredentials:
            let form = [("grant_type", "client_credentials"), ("scope", plan.serviceScope)]
            _ = try accepted(try await token(form, isService: true))
        case .authorize: codes.append(try authorize())
        case .code: try await exchangeCode()
        case .refresh: try keepTokens(accepted(try await exchange(refreshToken: refreshToken)))
        case .userInfo: try await askUserInfo()
        case .api: try await callAPI()
        case .firstParty: try await signInWithoutBrowser()
        case .firstPartyFinished: try await continueWithoutBrowser()
        }
    }

    private func exchangeCode() async throws {
        guard let code = codes.popLast() else { throw BenchmarkError("no code is left") }
        try keepTokens(accepted(try await exchange(code)))
    }

    /// Gets a code for a browser in which a user has signed in and consented.
    func authorize() throws -> LoadCode {
        let verifier = CodeVerifier()
        let query = authorizationRequest(verifier)
        let target = "\(plan.authorizePath)?\(query)\(plan.authorizeSuffix)"
        let answer = try connection.exchange("GET", target, fields: [("Cookie", plan.cookie)])
        guard let code = answer.code else { throw BenchmarkError("authorize: no code: \(answer.summary)") }
        return LoadCode(code: code, verifier: verifier)
    }

    /// The parameters of an authorization request, as a form.
    func authorizationRequest(_ verifier: CodeVerifier) -> String {
        Self.encode([
            ("response_type", "code"), ("client_id", plan.publicClient), ("redirect_uri", plan.redirectURI),
            ("scope", plan.scope), ("state", "a-state-of-the-client"), ("nonce", "a-nonce-of-the-client"),
            ("code_challenge", verifier.s256Challenge.value), ("code_challenge_method", "S256"),
        ])
    }

    /// Exchanges a code, whatever the response is.
    func exchange(_ code: LoadCode) async throws -> LoadResponse {
        try await token([
            ("grant_type", "authorization_code"), ("code", code.code), ("redirect_uri", plan.redirectURI),
            ("client_id", plan.publicClient), ("code_verifier", code.verifier.text),
        ])
    }

    /// Exchanges a refresh token, whatever the response is.
    func exchange(refreshToken: String) async throws -> LoadResponse {
        try await token([
            ("grant_type", "refresh_token"), ("refresh_token", refreshToken), ("client_id", plan.publicClient),
        ])
    }

    /// Exchanges a device code, whatever the response is.
    func exchange(deviceCode: String, of client: String) async throws -> LoadResponse {
        try await token([
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", deviceCode),
            ("client_id", client),
        ])
    }

    private func keepTokens(_ answer: LoadResponse) throws {
        guard let access = answer.member("access_token"), let refresh = answer.member("refresh_token") else {
            throw BenchmarkError("an answer without both tokens")
        }
        (accessToken, refreshToken) = (access, refresh)
    }

    private func token(_ form: [(String, String)], isService: Bool = false) async throws -> LoadResponse {
        let body = Self.encode(form)
        return try await withProof("POST", tokenURI, accessToken: nil) { proof in
            let fields = [("DPoP", proof)] + (isService ? [("Authorization", authorization)] : [])
            return try connection.exchange("POST", plan.tokenPath, fields: fields, body: body)
        }
    }

    private func accepted(_ answer: LoadResponse) throws -> LoadResponse {
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

    private static let apiPath = "/notes"

    private func callAPI() async throws {
        guard let apiURI else { throw BenchmarkError("the plan has no API") }
        let answer = try await withProof("GET", apiURI, accessToken: accessToken) { proof in
            let fields = [("Authorization", "DPoP \(accessToken)"), ("DPoP", proof)]
            return try connection.exchange("GET", Self.apiPath, fields: fields)
        }
        guard answer.status == 200 else { throw BenchmarkError("API: \(answer.summary)") }
    }

    /// Sends a request with a fresh proof; repeats it if the server requires a nonce.
    func withProof(
        _ method: String,
        _ uri: TargetURI,
        accessToken: String?,
        send: (String) throws -> LoadResponse
    ) async throws -> LoadResponse {
        let used = nonce
        let answer = try send(try await proof(method, uri, accessToken: accessToken))
        if let offered = answer.value(of: "dpop-nonce") { nonce = offered }
        guard answer.status >= 400, nonce != used else { return answer }
        return try send(try await proof(method, uri, accessToken: accessToken))
    }

    private func proof(_ method: String, _ uri: TargetURI, accessToken: String?) async throws -> String {
        try await proofs.proof(method: method, targetURI: uri, accessToken: accessToken, nonce: nonce)
    }

    static func encode(_ parameters: [(String, String)]) -> String {
        var form = FormParameters()
        for (name, value) in parameters { form.append(name, value) }
        return form.encoded()
    }
}
