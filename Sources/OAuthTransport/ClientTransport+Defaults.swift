// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import OAuthCore

extension ClientTransport {
    /// `false`: no certificate is presented.
    public var presentsClientCertificate: Bool { false }

    /// 64 MiB.
    public var maximumResponseSize: Int { 64 << 20 }

    /// Sends a request of the app with ``/OAuthCore/HTTPTransport/send(_:maximumBodySize:)``, and returns the body of
    /// the response when it is complete.
    ///
    /// - Parameters:
    ///   - request: The request. A response of more than ``maximumResponseSize`` is rejected.
    ///   - body: The source of its body. A file is loaded into memory; a stream is an error.
    ///   - timeout: Ignored: the transport decides how long the request may take.
    /// - Returns: The head of the response, whatever its status, and its body.
    /// - Throws: ``/OAuthCore/OAuthCoreError/Code/transportFailed``, ``/OAuthCore/OAuthCoreError/Code/cancelled``,
    ///   ``/OAuthCore/OAuthCoreError/Code/invalidRequest`` for a stream, and for a file that cannot be read.
    public func open(
        _ request: HTTPRequest,
        body: RequestBody,
        timeout: Duration?
    ) async throws(OAuthCoreError) -> StreamedResponse {
        var request = request
        switch body {
        case .inMemory: break
        case .file(let path): request.body = try await UploadFile.content(path)
        case .stream:
            throw OAuthCoreError(.invalidRequest, "this transport sends requests with a body in memory only")
        }
        do {
            return StreamedResponse(try await send(request, maximumBodySize: maximumResponseSize))
        } catch {
            throw error
        }
    }
}
