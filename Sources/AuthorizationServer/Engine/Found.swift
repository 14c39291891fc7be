// SPDX-License-Identifier: Apache-2.0

/// A request, and what was found for it in the storage; `nil` when there is no such thing, or the request names none.
struct Found<Base: Sendable, Value: Sendable>: Sendable {
    let base: Base
    let value: Value?
}
