// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A value that is delivered once, to one reader.
final class OneShotValue<Value: Sendable>: Sendable {
    private let value: Mutex<Value?>

    init(_ value: Value) {
        self.value = Mutex(value)
    }

    func take() -> Value? {
        value.withLock { value in
            defer { value = nil }
            return value
        }
    }
}
