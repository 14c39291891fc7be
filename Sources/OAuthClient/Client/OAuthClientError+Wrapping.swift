// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
package import OAuthCore
import OAuthSystem
import SigningKeys

extension OAuthClientError {
    /// Converts an error of a transport.
    package init(transport error: OAuthCoreError) {
        let code: Code =
            switch error.code {
            case .cancelled: .cancelled
            case .invalidRequest: .invalidArgument
            default: .transportFailed
            }
        self.init(code, error.reason, underlying: error)
    }

    /// Runs a call of a transport and converts its error.
    nonisolated(nonsending) static func ofTransport<Value>(
        _ call: nonisolated(nonsending) () async throws(OAuthCoreError) -> Value
    ) async throws(OAuthClientError) -> Value {
        do {
            return try await call()
        } catch {
            throw OAuthClientError(transport: error)
        }
    }

    /// Makes the error for a response that is not a success.
    init(rejectedBy server: String, _ response: HTTPResponse) {
        let failed = FailedResponse(response)
        let isPassing = failed.status == 429 || failed.status >= 500 || failed.error?.error == .temporarilyUnavailable
        if isPassing {
            self.init(.serverUnavailable, "\(server) is not available now", failedResponse: failed)
        } else if (300..<400).contains(failed.status) {
            self.init(
                .malformedResponse,
                "\(server) answered with a redirect, which is not followed",
                failedResponse: failed
            )
        } else if failed.error == nil {
            self.init(.malformedResponse, "\(server) answered something that is not OAuth", failedResponse: failed)
        } else {
            self.init(.serverRejected, "\(server) refused", failedResponse: failed)
        }
    }

    /// Wraps any error.
    ///
    /// Errors of user agents and stores can be of any type.
    init(_ error: any Error, otherwise code: Code, _ reason: String) {
        if let error = error as? OAuthClientError {
            self = error
        } else if let error = error as? OAuthCoreError,
            [.transportFailed, .cancelled, .invalidRequest].contains(error.code)
        {
            self.init(transport: error)
        } else if error is CancellationError {
            self.init(.cancelled, "the task was cancelled")
        } else {
            // Words of this package: an error of a third-party store may contain anything.
            let cause = (error as? KeyStoreError)?.reason ?? (error as? FileError)?.reason
            self.init(code, cause.map { "\(reason): \($0)" } ?? reason, underlying: error)
        }
    }
}
