// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Synchronization

/// Objects that are costly to make and may be used by one caller at a time.
///
/// A caller takes one, or makes one when none is idle, and gives it back when it is still good. One of them lies in front,
/// where it is taken and given back without a lock: all that a thread needs that nobody disturbs.
@safe
final class IdlePool<Element: AnyObject & Sendable>: Sendable {
    /// An owned reference.
    private let front = unsafe Atomic<Unmanaged<Element>?>(nil)
    private let others = Mutex<[Element]>([])
    private let maximumIdleCount: Int

    init(maximumIdleCount: Int = 64) {
        self.maximumIdleCount = maximumIdleCount
    }

    deinit {
        _ = takeFront()
    }

    func take() -> Element? {
        takeFront() ?? others.withLock { $0.popLast() }
    }

    /// Keeps an element for the next caller, or lets go of it when enough are idle.
    func give(_ element: Element) {
        let reference = unsafe Unmanaged.passRetained(element)
        let (isInFront, _) = unsafe front.compareExchange(
            expected: nil,
            desired: reference,
            ordering: .acquiringAndReleasing
        )
        guard !isInFront else { return }
        unsafe reference.release()
        others.withLock { others in
            if others.count < maximumIdleCount { others.append(element) }
        }
    }

    /// Who exchanged the reference for nothing owns it.
    private func takeFront() -> Element? {
        unsafe front.exchange(nil, ordering: .acquiringAndReleasing)?.takeRetainedValue()
    }
}
#endif
