// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import HTTPServer
import OAuthSystem

/// The layer between the listener and the engine: request identifiers, log, counters, and the health endpoints.
struct RequestPipeline: Sendable {
    let engine: AuthorizationEngine
    let proxies: TrustedProxies
    let readiness: Readiness
    let log: ServerLog
    let metrics: ServerMetrics
    let entropy: any Entropy

    /// Counts requests that the listener rejected itself.
    @Sendable func refused(_ request: RejectedRequest) {
        metrics.count(request)
        log.refused(request)
    }

    @Sendable func respond(to request: HTTPRequest) async -> HTTPResponse {
        if var answer = await readiness.answer(request) {
            for field in engine.fieldsOfEveryResponse.all { answer.fields.append(name: field.name, value: field.value) }
            return answer
        }
        let start = ContinuousClock.now
        let trace = RequestTrace(
            id: RequestID.of(request, proxies, entropy),
            context: proxies.sent(request) ? TraceContext(request.fields) : nil
        )
        var response = await engine.respond(to: request, trace: trace)
        response.fields[RequestID.field] = trace.id
        let answered = CompletedRequest(request, response, after: start.duration(to: .now), trace)
        metrics.count(answered)
        log.request(answered)
        return response
    }
}
