// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import OAuthCore

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A transport that also sends the requests of an app to APIs.
///
/// Whoever implements ``/OAuthCore/HTTPTransport/send(_:maximumBodySize:)`` gets the other functions too; one that talks to
/// URLSession sends a `URLRequest` as it is, with its time-out and its body stream.
public protocol ClientTransport: HTTPTransport {
    /// Whether connections present a client certificate to servers that ask for one (RFC 8705); `false` unless implemented.
    var presentsClientCertificate: Bool { get }

    /// Sends a request of the app.
    ///
    /// - Parameter request: The request with token and proof.
    /// - Returns: The body and the response, whatever its status; a 3xx is returned, not followed.
    /// - Throws: ``/OAuthCore/OAuthCoreError/Code/transportFailed``, ``/OAuthCore/OAuthCoreError/Code/cancelled``,
    ///   ``/OAuthCore/OAuthCoreError/Code/invalidRequest`` when the request cannot be sent this way.
    func data(for request: URLRequest) async throws(OAuthCoreError) -> (Data, HTTPURLResponse)

    /// Sends a request of the app with a file as its body.
    ///
    /// - Parameters:
    ///   - request: The request with token and proof, without a body.
    ///   - file: The URL of the file.
    /// - Returns: The body and the response, whatever its status; a 3xx is returned, not followed.
    /// - Throws: The codes of ``data(for:)``.
    func upload(
        for request: URLRequest,
        fromFile file: URL
    ) async throws(OAuthCoreError) -> (Data, HTTPURLResponse)

    /// Sends a request of the app, and gives out the body of the response as it comes.
    ///
    /// - Parameter request: The request with token and proof.
    /// - Returns: The body and the head of the response, whatever its status; a 3xx is returned, not followed.
    /// - Throws: The codes of ``data(for:)``.
    func bytes(for request: URLRequest) async throws(OAuthCoreError) -> (ResponseBytes, HTTPURLResponse)
}
