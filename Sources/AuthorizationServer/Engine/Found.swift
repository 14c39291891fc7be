// SPDX-License-Identifier: Apache-2.0

/// A request and the stored value it refers to; `nil` if there is no such value, or the request names none.
struct Found<Base: Sendable, Value: Sendable>: Sendable {
    let base: Base
    let value: Value?
}
