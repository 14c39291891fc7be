// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The parts of a replay store, each with a lock of its own.
///
/// Side by side in one piece of memory: objects in an array would be counted up and down with every proof. Each begins a
/// line of memory, so that the locks of two do not share one.
///
/// Sendable: the address never changes, and what is there is a `Mutex`, made before anybody else has the address.
@safe struct ReplayShards: ~Copyable, @unchecked Sendable {
    private typealias Shard = Mutex<ReplayTable>

    private static var lineSize: Int { 64 }
    /// From the beginning of one shard to that of the next, in bytes.
    private static var distance: Int { (MemoryLayout<Shard>.size + lineSize - 1) / lineSize * lineSize }

    /// Many, so that callers seldom want the same one.
    static var count: Int { 64 }

    private let memory: UnsafeMutableRawPointer

    init() {
        let blocks = ReplayMemory()
        unsafe memory = .allocate(byteCount: Self.count * Self.distance, alignment: Self.lineSize)
        for number in 0..<Self.count {
            let place = unsafe memory + number * Self.distance
            unsafe place.bindMemory(to: Shard.self, capacity: 1).initialize(to: Mutex(ReplayTable(in: blocks)))
        }
    }

    deinit {
        for number in 0..<Self.count { unsafe shard(number).deinitialize(count: 1) }
        unsafe memory.deallocate()
    }

    /// Locks a shard, of which there are ``count``, and calls a function with what it holds.
    @inline(__always)
    func withTable<Result: Sendable>(_ number: Int, _ body: (inout ReplayTable) -> Result) -> Result {
        unsafe shard(number).pointee.withLock { body(&$0) }
    }

    @inline(__always)
    private func shard(_ number: Int) -> UnsafeMutablePointer<Shard> {
        unsafe (memory + number * Self.distance).assumingMemoryBound(to: Shard.self)
    }
}
