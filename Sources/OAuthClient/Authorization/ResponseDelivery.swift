// SPDX-License-Identifier: Apache-2.0

/// The part of the browser's request that carries the response.
enum ResponseDelivery: Sendable, Hashable {
    case query
    case fragment
    case form
}
