// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
import OAuthCore
import ResourceServer

/// Answers the check requests of a reverse proxy, which ask whether a request may pass before it is forwarded.
///
/// A trusted proxy ensures that a check request describes the real request: it writes method, scheme, host and target
/// into fields of the check request, and removes what the client sent under those names. Check requests from anywhere
/// else are rejected, and so are malformed ones. A request that no rule allows is rejected too.
///
/// ## Specification
///
/// [RFC 9449 §7](https://www.rfc-editor.org/rfc/rfc9449#section-7),
/// [RFC 6750 §3](https://www.rfc-editor.org/rfc/rfc6750#section-3),
/// [RFC 9728 §3](https://www.rfc-editor.org/rfc/rfc9728#section-3)
public struct GatewayEngine: Sendable {
    /// The beginning of the paths at which metadata of APIs is published.
    public static let metadataPath = "/.well-known/oauth-protected-resource"

    private let configuration: GatewayConfiguration
    private let apis: [String: ProtectedAPI]
    private let paths: Set<String>
    private let report: @Sendable (GatewayDecision) -> Void

    /// Makes a gateway.
    ///
    /// - Parameters:
    ///   - configuration: What it protects, and whom it believes.
    ///   - report: Called for each decision; it must not block.
    /// - Throws: ``GatewayError/Code/invalidConfiguration``.
    public init(
        _ configuration: GatewayConfiguration,
        report: @escaping @Sendable (GatewayDecision) -> Void = { _ in }
    ) throws(GatewayError) {
        try configuration.check()
        self.configuration = configuration
        var apis: [String: ProtectedAPI] = [:]
        for api in configuration.apis {
            if let host = HostName.normalized(api.address.host ?? "") { apis[host] = api }
        }
        self.apis = apis
        paths = Set(configuration.proxies.subtracting([.envoy]).map(\.path))
        self.report = report
    }

    /// Answers a check request, or a request for metadata that the proxy forwards.
    ///
    /// - Parameter question: The request of the proxy, as it was received.
    /// - Returns: 200 with the fields for the API, or the response to pass on to the client. For nginx, which knows 401 and
    ///   403 only, other statuses are in ``IdentityFields/status``.
    public func respond(to question: HTTPRequest) async -> HTTPResponse {
        guard isTrusted(question) else {
            report(GatewayDecision(.untrustedPeer, status: 403))
            return Answer.refusal(403)
        }
        if question.path.hasPrefix(Self.metadataPath) { return metadata(question) }
        let isEnvoy = configuration.proxies.contains(.envoy) && question.path.hasPrefix(ProxyKind.envoy.path + "/")
        guard isEnvoy || paths.contains(String(question.path)) else {
            report(GatewayDecision(.notFound, status: 404))
            return Answer.refusal(404)
        }
        let context = TraceContext(question.fields)
        var (decision, response) = await TraceContext.withCurrent(context) { await decide(question, isEnvoy: isEnvoy) }
        decision.forwardedFor = question.fields.values(for: "X-Forwarded-For").last
        decision.requestID = QuestionFacts.requestID(question)
        decision.traceID = context?.traceID
        report(decision)
        let isNginx = question.path == ProxyKind.nginx.path
        return Answer.complete(response, status: decision.status, isNginx: isNginx)
    }

    private func isTrusted(_ question: HTTPRequest) -> Bool {
        TrustedProxies(configuration.trustedPeers).sent(question)
    }

    private func metadata(_ question: HTTPRequest) -> HTTPResponse {
        let hosts = question.fields.values(for: "X-Forwarded-Host")
        guard hosts.count == 1, let host = HostName.normalized(hosts[0]), let api = apis[host] else {
            return Answer.refusal(421)
        }
        return api.requestGuard.metadataResponse(to: question) ?? Answer.refusal(404)
    }

    private func decide(_ question: HTTPRequest, isEnvoy: Bool) async -> (GatewayDecision, HTTPResponse) {
        guard question.body.isEmpty, let request = OriginalRequest(question, isEnvoy: isEnvoy) else {
            return refuse(GatewayDecision(.misconfiguredProxy, status: 503))
        }
        var draft = Draft(request)
        guard let host = request.host, let api = apis[host], request.scheme == api.address.scheme else {
            return refuse(draft.decision(.unknownHost, 421))
        }
        draft.api = api.address.description
        guard !QuestionFacts.hasUnreadableField(question) else {
            return refuse(draft.decision(.unreadableField, 400))
        }
        guard let path = api.plainPath(request.target.prefix { $0 != "?" }) else {
            return refuse(draft.decision(.ambiguousPath, 400))
        }
        if api.preflight == .pass, let method = QuestionFacts.preflightMethod(request.method, question.fields) {
            guard let rule = api.rule(for: method, path) else { return refuse(draft.decision(.noRule, 403)) }
            draft.rule = rule.path.description
            return (draft.decision(.preflight), HTTPResponse(status: 200, fields: IdentityFields.anonymous(api)))
        }
        guard let rule = api.rule(for: request.method, path) else { return refuse(draft.decision(.noRule, 403)) }
        draft.rule = rule.path.description
        switch rule.demand {
        case .nothing:
            return (draft.decision(.open), HTTPResponse(status: 200, fields: IdentityFields.anonymous(api)))
        case .token(let requirement):
            return await check(request, of: question, requirement, api, draft)
        }
    }

    private func check(
        _ original: OriginalRequest,
        of question: HTTPRequest,
        _ requirement: GuardRequirement,
        _ api: ProtectedAPI,
        _ draft: Draft
    ) async -> (GatewayDecision, HTTPResponse) {
        let names = ["Authorization", "DPoP"]
        let credentials = question.fields.all.filter { field in
            names.contains { ASCII.isSameIgnoringCase($0, field.name) }
        }
        let request = HTTPRequest(
            method: original.method,
            target: original.target,
            fields: HTTPFields(credentials)
        )
        switch await api.requestGuard.check(request, for: requirement) {
        case .rejected(let rejection):
            return refuse(draft.decision(.rejected, rejection.response.status, rejection.reason), rejection.response)
        case .accepted(let authorized):
            var fields: HTTPFields
            do {
                fields = try IdentityFields.fields(of: authorized, api)
            } catch {
                let rejection = api.requestGuard.tooLongClaim(
                    in: request,
                    authorized,
                    expected: "\(error.field) of at most \(IdentityFields.maximumLength) bytes",
                    for: requirement
                )
                return refuse(
                    draft.decision(.rejected, rejection.response.status, rejection.reason),
                    rejection.response
                )
            }
            for field in authorized.responseFields.all where fields[field.name] == nil {
                fields.append(name: field.name, value: field.value)
            }
            var decision = draft.decision(.accepted)
            decision.issuer = authorized.issuer
            decision.subject = authorized.subject
            decision.clientID = authorized.clientID
            return (decision, HTTPResponse(status: 200, fields: fields))
        }
    }

    private func refuse(
        _ decision: GatewayDecision,
        _ response: HTTPResponse? = nil
    ) -> (GatewayDecision, HTTPResponse) {
        (decision, response ?? Answer.refusal(decision.status))
    }
}

/// What is known of a request before the decision.
private struct Draft {
    private let method: String
    private let path: String
    var api: String?
    var rule: String?

    init(_ request: OriginalRequest) {
        method = String(decoding: request.method.utf8.prefix(GatewayRule.longestMethod), as: UTF8.self)
        path = String(decoding: request.target.utf8.prefix { $0 != UInt8(ascii: "?") }.prefix(512), as: UTF8.self)
    }

    func decision(
        _ outcome: GatewayDecision.Outcome,
        _ status: Int = 200,
        _ reason: RejectionReason? = nil
    ) -> GatewayDecision {
        var decision = GatewayDecision(outcome, status: status)
        decision.api = api
        decision.rule = rule
        decision.method = method
        decision.path = path
        decision.check = reason?.check
        decision.detail = reason?.description
        return decision
    }
}
