// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import HTTPServer
import Synchronization

/// An API behind `keybound proxy`: it accepts every token but those that it is told to reject, and keeps the requests.
final class ProxiedAPI: Sendable {
    let origin: String
    private let listener: HTTPListener
    private let records: Records

    private final class Records: Sendable {
        let requests = Mutex<[HTTPRequest]>([])
        let rejected = Mutex<Set<String>>([])
    }

    init() throws {
        let records = Records()
        self.records = records
        listener = try HTTPListener(port: 0, threads: 1) { request in
            records.requests.withLock { $0.append(request) }
            let credentials = request.fields["Authorization"] ?? ""
            if records.rejected.withLock({ $0.contains(credentials) }) {
                return HTTPResponse(status: 401, fields: ["WWW-Authenticate": #"DPoP error="invalid_token""#])
            }
            switch request.path {
            case "/moved":
                return HTTPResponse(status: 307, fields: ["Location": "https://elsewhere.example/"])
            case "/strict":
                let challenge = #"DPoP error="insufficient_user_authentication", acr_values="mfa", max_age="60""#
                return HTTPResponse(
                    status: 401,
                    fields: ["WWW-Authenticate": challenge],
                    body: Array("too weak\n".utf8)
                )
            default:
                return HTTPResponse(status: 418, fields: ["X-Answer": "yes"], body: request.body)
            }
        }
        origin = "http://127.0.0.1:\(listener.port)"
    }

    /// The requests so far, in order.
    var requests: [HTTPRequest] { records.requests.withLock { $0 } }

    /// From now on, `Authorization` with this value is rejected.
    func reject(_ credentials: String) {
        records.rejected.withLock { _ = $0.insert(credentials) }
    }

    func stop() async {
        await listener.stop(draining: .zero)
    }
}
#endif
