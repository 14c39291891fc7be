// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Testing

@testable import SigningKeys

@Suite("Work on a queue")
struct DispatchQueueRunTests {
    /// What a device is to a store: closed by who lets go of it last.
    private final class Device: Sendable {}

    @Test func `the queue holds nothing of the work when it is done`() async throws {
        let queue = DispatchQueue(label: "keybound.tests.run")
        for _ in 0..<2000 {
            weak var rest: Device?
            do {
                let device = Device()
                rest = device
                try await queue.run { () throws(KeyStoreError) in withExtendedLifetime(device) {} }
            }
            #expect(rest == nil)
        }
    }
}
