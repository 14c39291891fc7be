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

    @Test func `nor of what came of it`() async throws {
        let queue = DispatchQueue(label: "keybound.tests.result")
        for _ in 0..<2000 {
            weak var rest: Device?
            do {
                let device = try await queue.run { () throws(KeyStoreError) in Device() }
                rest = device
            }
            #expect(rest == nil)
        }
    }

    #if os(Linux)
    @Test(arguments: [false, true])
    func `nor when the answer may be late`(isLate: Bool) async throws {
        let queue = DispatchQueue(label: "keybound.tests.late")
        let late = DeferredResult()
        for _ in 0..<2000 {
            weak var rest: Device?
            do {
                late.noteCall()
                if isLate {
                    // As if another call followed, and sent its command while this one ends.
                    late.noteCall()
                    queue.async { queue.async { late.endCall {} } }
                }
                let device = try await queue.run(answering: late.endCall) { () throws(KeyStoreError) in Device() }
                rest = device
            }
            #expect(rest == nil)
        }
    }
    #endif
}
