// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import HTTPMessage
import HTTPServer
import OAuthSystem

/// Serves monitoring on its own address: `/metrics`, `/health`, `/ready`.
struct OperatorListener: Sendable {
    private let listener: HTTPListener
    /// The listening address, with the actual port.
    let address: String

    /// `clients` is the listener whose connections are counted.
    init(
        _ listen: ListenAddress,
        _ metrics: ServerMetrics,
        _ gauges: ServerGauges,
        _ readiness: Readiness,
        of clients: HTTPListener
    ) throws {
        var limits = HTTPListenerLimits()
        // Monitoring needs few connections, and each takes a descriptor from the clients.
        limits.connections = 32
        listener = try HTTPListener(address: listen.address, port: listen.port, limits: limits, threads: 1) { request in
            if let answer = await readiness.answer(request) { return answer }
            guard request.path == "/metrics", request.method == "GET" || request.method == "HEAD" else {
                return HTTPResponse(status: 404, fields: ["Content-Type": "text/plain"], body: Array("no\n".utf8))
            }
            var text = PrometheusText()
            metrics.write(to: &text)
            gauges.write(to: &text)
            text.cutConnections(clients.cutConnections)
            return HTTPResponse(
                status: 200,
                fields: ["Content-Type": PrometheusText.mediaType, "Cache-Control": "no-store"],
                body: Array(text.text.utf8)
            )
        }
        address = listen.text(port: listener.port)
    }

    func stop() async {
        await listener.stop(draining: .zero)
    }
}
#endif
