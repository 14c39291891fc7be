// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Synchronization

/// Objects that are costly to make and may be used by one caller at a time.
///
/// A caller takes one, or makes one when none is idle, and gives it back when it is still good.
final class IdlePool<Element: Sendable>: Sendable {
    private let idle = Mutex<[Element]>([])
    private let maximumIdleCount: Int

    init(maximumIdleCount: Int = 64) {
        self.maximumIdleCount = maximumIdleCount
    }

    func take() -> Element? {
        idle.withLock { $0.popLast() }
    }

    /// Keeps an element for the next caller, or lets go of it when enough are idle.
    func give(_ element: Element) {
        idle.withLock { idle in
            if idle.count < maximumIdleCount { idle.append(element) }
        }
    }
}
#endif
