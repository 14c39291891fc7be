// SPDX-License-Identifier: Apache-2.0

import DPoP
import Foundation
import HTTPMessage
import JOSE
import PKCE

/// A client of several servers behind load balancers: it asks until it is answered, and knows what the answers promise.
actor ClusterWorker {
    /// An accepted code, and every refresh token that came from it, the newest last.
    struct Family {
        let code: LoadCode
        var tokens: [String]
        var accessToken: String
    }

    /// An answer, and how many attempts before it may have been carried out all the same.
    struct Answer {
        let response: LoadResponse
        let doubts: Int
        /// Seconds from the first attempt to this answer.
        let seconds: Double

        /// The error of OAuth.
        var error: String { response.member("error") ?? "" }
    }

    /// A server that does not come back within this many seconds fails the run.
    private static let patience = 90.0
    /// The server is away at once, or after it has waited: then an attempt may have been carried out.
    private static let longestRefusal = 0.9

    private let executor = LoadExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    let plan: LoadPlan
    let report: ClusterReport
    private let proofs: DPoPProofFactory
    private let tokenURI: TargetURI
    private let pushURI: TargetURI
    private let userInfoURI: TargetURI
    private let authorization: String
    private var link: ClusterLink
    private var nonce: String?
    private var awaySince: Double?
    /// Families whose tokens are spent a second time when they have lived through a fault or two.
    var waiting: [Family] = []
    /// Requests whose proof was accepted.
    var accepted: [ClusterRequest] = []
    private let firstProxy: Int

    init(_ plan: LoadPlan, number: Int, _ report: ClusterReport) throws {
        self.plan = plan
        self.report = report
        proofs = DPoPProofFactory(key: try SoftwareSigningKey(generating: .es256))
        tokenURI = try TargetURI(parsing: plan.origin + plan.tokenPath)
        pushURI = try TargetURI(parsing: plan.origin + plan.pushPath)
        userInfoURI = try TargetURI(parsing: plan.origin + plan.userInfoPath)
        let credentials = Data("\(plan.confidentialClient):\(plan.secret)".utf8).base64EncodedString()
        authorization = "Basic \(credentials)"
        firstProxy = number
        link = ClusterLink(port: plan.proxies[number % plan.proxies.count])
    }

    // MARK: - Requests

    func tokenRequest(
        _ purpose: String,
        _ form: [(String, String)],
        isService: Bool = false
    ) async throws
        -> ClusterRequest
    {
        let proof = try await proofs.proof(method: "POST", targetURI: tokenURI, nonce: nonce)
        return ClusterRequest(
            purpose: purpose,
            method: "POST",
            target: plan.tokenPath,
            fields: [("DPoP", proof)] + (isService ? [("Authorization", authorization)] : []),
            body: LoadWorker.encode(form)
        )
    }

    func pushRequest(_ body: String) async throws -> ClusterRequest {
        let proof = try await proofs.proof(method: "POST", targetURI: pushURI, nonce: nonce)
        return ClusterRequest(
            purpose: "pushed request",
            method: "POST",
            target: plan.pushPath,
            fields: [("DPoP", proof)],
            body: body
        )
    }

    func userInfoRequest(_ accessToken: String) async throws -> ClusterRequest {
        let proof = try await proofs.proof(
            method: "GET",
            targetURI: userInfoURI,
            accessToken: accessToken,
            nonce: nonce
        )
        return ClusterRequest(
            purpose: "userinfo",
            method: "GET",
            target: plan.userInfoPath,
            fields: [("Authorization", "DPoP \(accessToken)"), ("DPoP", proof)]
        )
    }

    // MARK: - Answers

    /// Asks until there is an answer other than "not now", with a new proof each time.
    ///
    /// - Throws: ``BenchmarkError`` if there is none within a minute and a half.
    func ask(_ make: () async throws -> ClusterRequest) async throws -> (request: ClusterRequest, answer: Answer) {
        let start = ThreadTime.wall()
        var (doubts, nonces, pause) = (0, 0, 50)
        while true {
            let request = try await make()
            let begin = ThreadTime.wall()
            if let response = send(request) {
                let answer = Answer(response: response, doubts: doubts, seconds: ThreadTime.wall() - start)
                let isStale =
                    answer.error == "use_dpop_nonce"
                    || response.value(of: "www-authenticate")?.contains("use_dpop_nonce") == true
                guard isStale, nonces < 10 else { return (request, answer) }
                nonces += 1
                continue
            }
            // What was refused at once has not been carried out.
            if !lastWas503 || ThreadTime.wall() - begin > Self.longestRefusal { doubts += 1 }
            guard ThreadTime.wall() - start < Self.patience else {
                throw BenchmarkError("\(request.purpose): no answer for \(Int(Self.patience)) s")
            }
            try await Task.sleep(for: .milliseconds(pause))
            pause = min(pause * 2, 400)
        }
    }

    private var lastWas503 = false

    /// Sends a request once.
    ///
    /// - Returns: `nil` for a connection that was cut, and for "not now"; both are reported.
    private func send(_ request: ClusterRequest) -> LoadResponse? {
        let start = ThreadTime.wall()
        report.count { $0.requests += 1 }
        var kind = "cut"
        if let response = try? link.exchange(request) {
            if let offered = response.value(of: "dpop-nonce") { nonce = offered }
            // A redirect cannot say 503: the authorization endpoint sends this error instead (RFC 6749 section 4.1.2.1).
            let isRedirected = response.status == 303 && response.redirectedError == "server_error"
            guard isRedirected || [502, 503, 504].contains(response.status) else {
                if let since = awaySince { report.outage(from: since, to: ThreadTime.wall()) }
                awaySince = nil
                return response
            }
            let isOfServer = response.status == 503 && response.value(of: "retry-after") != nil
            kind = isOfServer || isRedirected ? "503" : "balancer \(response.status)"
        } else {
            let next = plan.proxies.firstIndex(of: link.port).map { ($0 + 1) % plan.proxies.count } ?? 0
            link = ClusterLink(port: plan.proxies[next])
        }
        lastWas503 = kind == "503"
        awaySince = awaySince ?? start
        report.error(kind, from: start, to: ThreadTime.wall(), request.purpose)
        return nil
    }

    /// Sends a request that was accepted before once more, straight to a node, where it must not be accepted.
    func replay(_ request: ClusterRequest, at port: UInt16, _ what: String) {
        var straight = ClusterLink(port: port)
        guard let response = try? straight.exchange(request) else { return }
        report.count { $0.replays += 1 }
        if response.status < 400 {
            report.violation(.double, "\(what) was accepted again at another node: \(request.purpose)")
        }
    }
}
