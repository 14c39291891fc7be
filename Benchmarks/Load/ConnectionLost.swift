// SPDX-License-Identifier: Apache-2.0

/// The server is gone, or does not answer: whether the request was carried out is not known.
struct ConnectionLost: Error, CustomStringConvertible {
    let description: String
}
