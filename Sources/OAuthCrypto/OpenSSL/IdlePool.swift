// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Synchronization

/// A pool of objects that are costly to create and used by one caller at a time.
///
/// A caller takes an idle object or creates one, and returns it if it is still usable. One object is in front, where it
/// is taken and returned without a lock: a single thread needs no other.
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

    /// Keeps an object for the next caller, or releases it if enough are idle.
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

    /// The caller that exchanged the reference for nil owns it.
    private func takeFront() -> Element? {
        unsafe front.exchange(nil, ordering: .acquiringAndReleasing)?.takeRetainedValue()
    }
}
#endif
