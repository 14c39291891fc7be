// SPDX-License-Identifier: Apache-2.0

/// The cause of a transport's error for a response that arrived and cannot be used: it is too large, or not one of HTTP.
package struct UnreadableResponse: Error {
    /// Makes the cause.
    package init() {}
}
