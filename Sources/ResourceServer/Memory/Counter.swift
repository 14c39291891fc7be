// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A number that several threads count up.
final class Counter: Sendable {
    private let number = Atomic<Int>(0)

    var value: Int { number.load(ordering: .relaxed) }

    func add() {
        number.add(1, ordering: .relaxed)
    }
}
