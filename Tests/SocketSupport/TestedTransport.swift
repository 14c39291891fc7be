// SPDX-License-Identifier: Apache-2.0

import OAuthClient
package import OAuthTransport

/// The transports that come with the library.
package enum TestedTransport: String, CaseIterable, Sendable {
    case urlSession
    #if os(Linux)
    case curl
    #endif

    /// Makes one.
    package func make(
        timeout: Duration = .seconds(300),
        exchangeTimeout: Duration = .seconds(300),
        maximumResponseSize: Int = 64 << 20
    ) -> any ClientTransport {
        switch self {
        case .urlSession:
            return URLSessionTransport(
                timeout: timeout,
                exchangeTimeout: exchangeTimeout,
                maximumResponseSize: maximumResponseSize
            )
        #if os(Linux)
        case .curl:
            var configuration = CurlTransportConfiguration()
            configuration.timeout = timeout
            configuration.exchangeTimeout = exchangeTimeout
            configuration.maximumResponseSize = maximumResponseSize
            return CurlTransport(configuration)
        #endif
        }
    }
}
