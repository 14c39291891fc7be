// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient
import OAuthCore
import OAuthTransport
import Synchronization

/// URLSession with a `Date` field that a test sets: the listener would send the current time.
final class DatedTransport: ClientTransport {
    private let base = PlatformTransport()
    private let date = Mutex<String?>(nil)
    let presentsClientCertificate: Bool

    /// - Parameter presentsClientCertificate: The value of the transport's property.
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
