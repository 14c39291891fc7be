// SPDX-License-Identifier: Apache-2.0

/// Where in a request of the browser an answer stands.
enum ResponseDelivery: Sendable, Hashable {
    case query
    case fragment
    case form
}
