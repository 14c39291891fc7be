// SPDX-License-Identifier: Apache-2.0

package import HTTPMessage
import OAuthTransport

extension OAuthSession {
    /// Sends a request to an API, and receives the whole response, whatever it demands.
    ///
    /// For a program that shows its user every response as it is. If the API demands another authentication of the user (RFC
    /// 9470 section 3), ``send(_:body:maximumBodySize:timeout:)`` throws an error in place of the response.
    package func sendForAnyResponse(_ request: HTTPRequest) async throws(OAuthClientError) -> HTTPResponse {
        let call = try client.protectedCall(request, body: .inMemory, timeout: nil)
        var exchange = protectedExchange
        exchange.returnsStepUps = true
        return try await whole(exchange.run(call).response)
    }
}
