// SPDX-License-Identifier: Apache-2.0

/// The source of the body of an app's request.
public enum RequestBody: Sendable {
    /// From memory: ``/HTTPMessage/HTTPRequest/body``.
    case inMemory
    /// From a regular file, by its path.
    ///
    /// It is read each time the request is sent, and must not change meanwhile.
    case file(path: String)
    /// From a stream, which can be read once: a request that would have to be sent again is an error.
    ///
    /// The length is in bytes; without one, the body is sent in chunks.
    case stream(RequestBodyStream, length: Int?)
}
