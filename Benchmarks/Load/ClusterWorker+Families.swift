// SPDX-License-Identifier: Apache-2.0

import PKCE

extension ClusterWorker {
    /// How many refreshes follow a code.
    private static let refreshes = 5
    /// How many families wait until they are checked.
    private static let kept = 12
    /// How many accepted requests are kept to be sent again.
    private static let replayed = 6
    /// How long a used refresh token may be used again with the same key; less than the server allows.
    private static let grace = 25.0
    /// How often a refresh token may be exchanged again whose answers were lost; the server's limit.
    private static let reissues = 2

    /// Signs in, refreshes and checks until the run is over.
    func run(until stop: ClusterStop) async throws {
        while !stop.isOver {
            if let family = try await live() { waiting.append(family) }
            try await push()
            if waiting.count > Self.kept { try await check(waiting.removeFirst()) }
        }
        for family in waiting { try await check(family) }
    }

    /// Signs in, and refreshes a few times.
    private func live() async throws -> Family? {
        guard let code = try await authorize() else { return nil }
        let (request, redeemed) = try await ask { try await exchange(code) }
        guard redeemed.response.status == 200 else {
            refused(redeemed, "a code", isExcused: redeemed.doubts > 0)
            return nil
        }
        keep(request)
        guard var family = family(of: code, redeemed.response) else { return nil }
        report.count { $0.families += 1 }
        for _ in 0..<Self.refreshes {
            guard try await refresh(&family) else { return nil }
            try await askUserInfo(family.accessToken)
            try await serve()
        }
        return family
    }

    private func authorize() async throws -> LoadCode? {
        let verifier = CodeVerifier()
        let query = query(verifier)
        let (_, answer) = try await ask { browserRequest(query) }
        guard let code = answer.response.code else {
            let error = answer.response.redirectedError ?? "no error"
            report.violation(.loss, "a session or a consent is unknown: \(answer.response.summary)\(error)")
            return nil
        }
        return LoadCode(code: code, verifier: verifier)
    }

    private func browserRequest(_ query: String) -> ClusterRequest {
        ClusterRequest(
            purpose: "authorization request",
            method: "GET",
            target: "\(plan.authorizePath)?\(query)",
            fields: [("Cookie", plan.cookie)]
        )
    }

    private func query(_ verifier: CodeVerifier) -> String {
        LoadWorker.encode([
            ("response_type", "code"), ("client_id", plan.publicClient), ("redirect_uri", plan.redirectURI),
            ("scope", plan.scope), ("state", "s"), ("nonce", "n"),
            ("code_challenge", verifier.s256Challenge.value), ("code_challenge_method", "S256"),
        ])
    }

    private func exchange(_ code: LoadCode) async throws -> ClusterRequest {
        try await tokenRequest(
            "code",
            [
                ("grant_type", "authorization_code"), ("code", code.code), ("redirect_uri", plan.redirectURI),
                ("client_id", plan.publicClient), ("code_verifier", code.verifier.text),
            ]
        )
    }

    private func exchange(refreshToken: String) async throws -> ClusterRequest {
        try await tokenRequest(
            "refresh",
            [("grant_type", "refresh_token"), ("refresh_token", refreshToken), ("client_id", plan.publicClient)]
        )
    }

    private func family(of code: LoadCode, _ response: LoadResponse) -> Family? {
        guard let refresh = response.member("refresh_token"), let access = response.member("access_token") else {
            report.violation(.wrong, "tokens are missing: \(response.status)")
            return nil
        }
        return Family(code: code, tokens: [refresh], accessToken: access)
    }

    private func refresh(_ family: inout Family) async throws -> Bool {
        guard let newest = family.tokens.last else { return false }
        let (request, answer) = try await ask { try await exchange(refreshToken: newest) }
        guard let next = answer.response.member("refresh_token"),
            let access = answer.response.member("access_token")
        else {
            let isExcused = answer.doubts > Self.reissues || (answer.doubts > 0 && answer.seconds > Self.grace)
            refused(answer, "the newest refresh token", isExcused: isExcused)
            return false
        }
        keep(request)
        report.count { $0.refreshes += 1 }
        family.tokens.append(next)
        family.accessToken = access
        return true
    }

    private func askUserInfo(_ accessToken: String) async throws {
        let (request, answer) = try await ask { try await userInfoRequest(accessToken) }
        guard answer.response.status == 200 else { return refused(answer, "an access token", isExcused: false) }
        replay(request, at: plan.nodes.randomElement() ?? 0, "a proof")
    }

    /// A token for a service: nothing but the memory of proofs keeps its request from being accepted again.
    private func serve() async throws {
        let (request, answer) = try await ask {
            try await tokenRequest(
                "client credentials",
                [("grant_type", "client_credentials"), ("scope", plan.serviceScope)],
                isService: true
            )
        }
        guard answer.response.status == 200 else { return refused(answer, "a client", isExcused: false) }
        keep(request)
        guard let older = accepted.randomElement() else { return }
        replay(older, at: plan.nodes.randomElement() ?? 0, "a proof")
    }

    private func keep(_ request: ClusterRequest) {
        accepted.append(request)
        if accepted.count > Self.replayed { accepted.removeFirst() }
    }

    /// A pushed request gives one code.
    private func push() async throws {
        let (request, pushed) = try await ask { try await pushRequest(query(CodeVerifier())) }
        guard pushed.response.status == 201, let uri = pushed.response.member("request_uri") else {
            return refused(pushed, "a pushed request", isExcused: false)
        }
        replay(request, at: plan.nodes.randomElement() ?? 0, "a proof")
        let reference = LoadWorker.encode([("client_id", plan.publicClient), ("request_uri", uri)])
        let (_, first) = try await ask { browserRequest(reference) }
        if first.response.code == nil, first.doubts == 0 {
            report.violation(.loss, "a pushed request is unknown: \(first.response.summary)")
        }
        let (_, second) = try await ask { browserRequest(reference) }
        report.count { $0.replays += 1 }
        if first.response.code != nil, second.response.code != nil {
            report.violation(.double, "a pushed request gave two codes")
        }
    }

    // MARK: - What was answered must work, and what is spent must not

    /// In an order in which no token is revoked before it is checked.
    private func check(_ checked: Family) async throws {
        guard let newest = checked.tokens.last, let old = checked.tokens.dropLast().last else { return }
        var family = checked
        guard try await refresh(&family) else { return }
        guard var next = family.tokens.last, next != newest else { return }
        report.count { $0.replays += 2 }
        for attempt in 0..<3 {
            let (_, reused) = try await ask { try await exchange(refreshToken: old) }
            if reused.response.status != 400 {
                report.violation(.double, "a token was accepted whose successor was used: \(reused.response.status)")
            }
            let (_, revoked) = try await ask { try await exchange(refreshToken: next) }
            guard let again = revoked.response.member("refresh_token") else { break }
            // A repeat after a lost commit revokes nothing, since the client may have gone on: the next one does.
            next = again
            if attempt == 2 { report.violation(.double, "a family outlived the reuse of a token") }
        }
        let (_, replayed) = try await ask { try await exchange(family.code) }
        if replayed.response.status != 400 {
            report.violation(.double, "a code was accepted a second time: \(replayed.response.status)")
        }
    }

    private func refused(_ answer: Answer, _ what: String, isExcused: Bool) {
        let status = answer.response.status
        let isRefusal = status == 401 || (status == 400 && answer.error == "invalid_grant")
        if isRefusal, isExcused { return report.count { $0.refusedInDoubt += 1 } }
        report.violation(
            isRefusal ? .loss : .wrong,
            "\(what): \(answer.response.summary); \(answer.doubts) attempts in doubt, \(answer.seconds) s"
        )
    }
}
