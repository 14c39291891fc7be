// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient
import OAuthCore
import OAuthTransport
import Synchronization

/// URLSession, but what it says about the time of the server is what a test says: a listener writes the time of this day.
final class DatedTransport: ClientTransport {
    private let base = PlatformTransport()
    private let date = Mutex<String?>(nil)
    let presentsClientCertificate: Bool

    /// - Parameter presentsClientCertificate: What the transport says of its connections.
    init(presentsClientCertificate: Bool = false) {
        self.presentsClientCertificate = presentsClientCertificate
    }

    func set(date: String?) {
        self.date.withLock { $0 = date }
    }

    func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
        var response = try await base.send(request, maximumBodySize: maximumBodySize)
        response.fields["Date"] = date.withLock { $0 }
        return response
    }
}
