// SPDX-License-Identifier: Apache-2.0

/// The two ways to find what a shard remembers: by the hash of a proof, and by the hash of its key.
enum ReplayIndex {
    case proofs
    case owners
}

/// One value for each index.
struct PerIndex<Value> {
    var proofs: Value
    var owners: Value

    subscript(index: ReplayIndex) -> Value {
        get {
            switch index {
            case .proofs: proofs
            case .owners: owners
            }
        }
        set {
            switch index {
            case .proofs: proofs = newValue
            case .owners: owners = newValue
            }
        }
    }
}

/// A proof that is remembered, 32 bytes.
struct ReplayRecord {
    /// What the record is found by.
    let hash: PerIndex<UInt64>
    /// The next record in the same bucket; of a record that does not count, there is none among the owners.
    var next: PerIndex<UInt32>
    /// The last minute in which the proof is remembered, counted from 1970.
    let minute: UInt32
    /// How many proofs of this key end in this minute; zero when another record counts them.
    var tally: UInt32
}

/// A place for a record, and the beginnings of the two buckets that have the same number: 40 bytes.
struct ReplaySlot {
    var record: ReplayRecord
    var first: PerIndex<UInt32>
}

/// Slots without gaps, in blocks that never move.
///
/// An array would be copied as a whole when it grows: with ten million proofs somebody would wait for that.
@safe
struct ReplaySlots: ~Copyable {
    /// 20 KiB in a block.
    static let blockCount = 512

    /// Each with room for so many slots; those before `count` are initialised, and nobody else has the addresses.
    private var blocks: [UnsafeMutablePointer<ReplaySlot>] = unsafe []
    private(set) var count = 0

    /// The memory that is held, in bytes.
    var byteCount: Int {
        unsafe blocks.count * Self.blockCount * MemoryLayout<ReplaySlot>.stride
            + blocks.capacity * MemoryLayout<UnsafeMutablePointer<ReplaySlot>>.stride
    }

    deinit {
        for index in unsafe blocks.indices { unsafe blocks[index].deallocate() }
    }

    subscript(place: Int) -> ReplaySlot {
        _read { yield unsafe address(of: place).pointee }
        _modify { yield unsafe &address(of: place).pointee }
    }

    mutating func append(_ slot: ReplaySlot) {
        if unsafe count == blocks.count * Self.blockCount {
            unsafe blocks.append(.allocate(capacity: Self.blockCount))
        }
        count += 1
        unsafe address(of: count - 1).initialize(to: slot)
    }

    mutating func removeLast() {
        precondition(count > 0, "no slot is left")
        count -= 1
    }

    mutating func removeAll() {
        count = 0
    }

    /// Gives one block back, when more than one has no use: all at once would take long.
    mutating func releaseBlock() {
        let neededCount = (count + Self.blockCount - 1) / Self.blockCount
        guard unsafe blocks.count > neededCount + 1 else { return }
        unsafe blocks.removeLast().deallocate()
    }

    private func address(of place: Int) -> UnsafeMutablePointer<ReplaySlot> {
        precondition(place >= 0 && place < count, "a slot that is not in use")
        return unsafe blocks[place / Self.blockCount] + place % Self.blockCount
    }
}
