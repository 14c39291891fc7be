// SPDX-License-Identifier: Apache-2.0

/// The server is gone or does not respond; the request may or may not have been processed.
struct ConnectionLost: Error, CustomStringConvertible {
    let description: String
}
