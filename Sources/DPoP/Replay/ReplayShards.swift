// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The shards of a replay store, each with its own lock.
///
/// They are adjacent in one allocation: objects in an array would be retained and released with every proof. Each
/// starts on its own cache line, so that two locks never share one.
///
/// Sendable: the address never changes, and each `Mutex` there is initialized before any other thread has the address.
@safe struct ReplayShards: ~Copyable, @unchecked Sendable {
    private typealias Shard = Mutex<ReplayTable>

    private static var lineSize: Int { 64 }
    /// The distance between the starts of two shards, in bytes.
    private static var distance: Int { (MemoryLayout<Shard>.size + lineSize - 1) / lineSize * lineSize }

    /// Enough shards that concurrent callers seldom need the same one.
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

    /// Locks the shard at an index below ``count``, and calls a function with its content.
    @inline(__always)
    func withTable<Result: Sendable>(_ number: Int, _ body: (inout ReplayTable) -> Result) -> Result {
        unsafe shard(number).pointee.withLock { body(&$0) }
    }

    @inline(__always)
    private func shard(_ number: Int) -> UnsafeMutablePointer<Shard> {
        unsafe (memory + number * Self.distance).assumingMemoryBound(to: Shard.self)
    }
}
