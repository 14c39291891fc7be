// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Synchronization
import Testing

@testable import SigningKeys

@Suite("Answers that wait for the next call")
struct DeferredResultTests {
    private final class Given: Sendable {
        let numbers = Mutex<[Int]>([])

        func answer(_ number: Int) -> @Sendable () -> Void {
            { self.numbers.withLock { $0.append(number) } }
        }

        var all: [Int] { numbers.withLock { $0 } }
    }

    private let late = DeferredResult()
    private let given = Given()

    @Test func `one that comes alone is given at once`() {
        late.noteCall()
        late.endCall(given.answer(1))
        #expect(given.all == [1])
    }

    @Test func `one that another call follows is given when that is on its way`() {
        late.noteCall()
        late.noteCall()
        late.endCall(given.answer(1))
        #expect(given.all == [])
        late.handOver()
        late.handOver()
        #expect(given.all == [1])
        late.endCall(given.answer(2))
        #expect(given.all == [1, 2])
    }

    @Test func `a call that ends before it was on its way gives the earlier answer first`() {
        for _ in 0..<3 { late.noteCall() }
        late.endCall(given.answer(1))
        late.endCall(given.answer(2))
        #expect(given.all == [1])
        late.endCall(given.answer(3))
        #expect(given.all == [1, 2, 3])
    }
}
#endif
