// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
@testable import OAuthCrypto
import Synchronization
import Testing

@Suite("Objects that one caller at a time uses")
struct IdlePoolTests {
    private final class Element: Sendable {
        let users = Atomic<Int>(0)
    }

    @Test func `what was given is taken once, then there is nothing`() {
        let pool = IdlePool<Element>()
        let elements = (0..<3).map { _ in Element() }
        for element in elements { pool.give(element) }
        let taken = (0..<3).compactMap { _ in pool.take() }
        #expect(Set(taken.map { ObjectIdentifier($0) }) == Set(elements.map { ObjectIdentifier($0) }))
        #expect(pool.take() == nil)
    }

    @Test func `no two callers have the same at once`() async {
        let pool = IdlePool<Element>()
        let shared = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var shared = 0
                    for _ in 0..<5000 {
                        let element = pool.take() ?? Element()
                        if element.users.add(1, ordering: .sequentiallyConsistent).newValue > 1 { shared += 1 }
                        element.users.subtract(1, ordering: .sequentiallyConsistent)
                        pool.give(element)
                    }
                    return shared
                }
            }
            return await group.reduce(0, +)
        }
        #expect(shared == 0)
    }

    @Test func `it keeps one in front and as many more as it may, and lets go of them when it ends`() {
        weak var kept: Element?
        weak var surplus: Element?
        do {
            let pool = IdlePool<Element>(maximumIdleCount: 1)
            let elements = (0..<3).map { _ in Element() }
            for element in elements { pool.give(element) }
            (kept, surplus) = (elements[0], elements[2])
            #expect((0..<3).compactMap { _ in pool.take() }.count == 2)
            pool.give(elements[0])
        }
        #expect(kept == nil && surplus == nil)
    }
}
#endif
