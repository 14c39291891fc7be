// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// Where the body of a request comes from.
enum CurlRequestBody: Sendable {
    case none
    case bytes([UInt8])
    case file(path: String)
    /// A stream that can be read once; its length in bytes when the app says it.
    case stream(BodyPump, length: Int?)
}
#endif
