// SPDX-License-Identifier: Apache-2.0

/// Slots in the order of the hashes that belong into them, in blocks that are there only where there are entries.
///
/// An entry is in the slot where its hash belongs, or in the first after it that was free (linear probing). Behind the last
/// slot there are as many as that needs.
@safe
struct ReplaySlots<Entry: ReplayEntry>: ~Copyable {
    /// Where an entry is, or where it would be.
    struct Place {
        let slot: Int
        /// Whether there is an entry.
        let isTaken: Bool
    }

    /// How many slots hashes belong into.
    let capacity: Int
    /// How many slots were ever filled.
    private(set) var used = 0
    /// How many slots there are in a block: 16 to 512, a power of two; the largest block takes 8 KiB.
    private let blockSize: Int
    private let blockBits: Int
    /// All slots of a block are initialised, and nobody else has its address.
    private var blocks: [UnsafeMutablePointer<Entry>?]
    private var heldBlocks = 0

    /// Makes slots that are all empty; less than 2^32.
    init(capacity: Int) {
        self.capacity = capacity
        blockBits = min(9, max(4, Int.bitWidth - capacity.leadingZeroBitCount - 5))
        blockSize = 1 << blockBits
        unsafe blocks = Array(repeating: nil, count: (capacity + blockSize - 1) / blockSize)
    }

    deinit {
        for index in unsafe blocks.indices { unsafe blocks[index]?.deallocate() }
    }

    /// The number behind the last slot that an entry can be in.
    var end: Int { unsafe blocks.count * blockSize }

    /// The memory that is held, in bytes.
    var byteCount: Int {
        unsafe heldBlocks * blockSize * MemoryLayout<Entry>.stride
            + blocks.capacity * MemoryLayout<UnsafeMutablePointer<Entry>?>.stride
    }

    /// Where a hash belongs: the larger the hash, the later.
    func home(of hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash.multipliedFullWidth(by: UInt64(truncatingIfNeeded: capacity)).high)
    }

    /// What is in a slot, past or not.
    subscript(slot: Int) -> Entry {
        get {
            guard let block = unsafe block(number(of: slot)) else { return .none }
            return unsafe block[place(in: slot)]
        }
        set {
            let block = unsafe block(number(of: slot)) ?? addBlock(number(of: slot))
            if unsafe block[place(in: slot)].minute == 0 { used += 1 }
            unsafe block[place(in: slot)] = newValue
        }
    }

    /// Goes by all entries with a hash that count.
    ///
    /// - Parameters:
    ///   - hash: The hash.
    ///   - now: The first minute that counts.
    ///   - isWanted: Called with each of these entries; whether it is the one to be found, of which there is at most one.
    /// - Returns: The place of the one to be found, or that of a new entry.
    @inline(__always)
    func place(of hash: UInt64, at now: UInt32, where isWanted: (Entry) -> Bool) -> Place {
        var free: Int?
        var wanted: Int?
        var slot = home(of: hash)
        // Nothing is beyond a slot that was never filled, and behind the last one none was.
        search: while let block = unsafe block(number(of: slot)) {
            let inBlock = place(in: slot)
            for place in inBlock..<blockSize {
                let entry = unsafe block[place]
                if entry.minute < now {
                    if free == nil { free = slot }
                    if entry.minute == 0 { break search }
                } else if entry.hash == hash, isWanted(entry) {
                    wanted = slot
                }
                slot += 1
            }
        }
        return Place(slot: wanted ?? free ?? slot, isTaken: wanted != nil)
    }

    /// Moves entries to other slots, those that count, and gives back the memory that they were in.
    ///
    /// - Parameters:
    ///   - start: The first slot whose entries have not moved yet.
    ///   - count: How many slots to leave behind at least.
    ///   - target: Where the entries belong now.
    ///   - now: The first minute that counts.
    /// - Returns: A slot behind one that was never filled: what belongs before it has moved, and nothing else.
    mutating func move(from start: Int, atLeast count: Int, to target: inout ReplaySlots, at now: UInt32) -> Int {
        var slot = start
        search: while slot < end {
            let next = (number(of: slot) + 1) * blockSize
            guard let block = unsafe block(number(of: slot)) else {
                slot = next
                if slot - start < count { continue search } else { break search }
            }
            for place in place(in: slot)..<blockSize {
                let entry = unsafe block[place]
                slot += 1
                if entry.minute >= now {
                    target.add(entry, at: now)
                } else if entry.minute == 0, slot - start >= count {
                    break search
                }
            }
        }
        for index in number(of: start)..<number(of: slot) { removeBlock(index) }
        return slot
    }

    /// Puts an entry that is not there yet into the first slot that is free for it.
    @inline(__always)
    private mutating func add(_ entry: Entry, at now: UInt32) {
        var slot = home(of: entry.hash)
        while true {
            let block = unsafe block(number(of: slot)) ?? addBlock(number(of: slot))
            for place in place(in: slot)..<blockSize {
                let present = unsafe block[place].minute
                if present < now {
                    if present == 0 { used += 1 }
                    unsafe block[place] = entry
                    return
                }
                slot += 1
            }
        }
    }

    private func block(_ index: Int) -> UnsafeMutablePointer<Entry>? {
        unsafe index < blocks.count ? blocks[index] : nil
    }

    /// The block of a slot.
    private func number(of slot: Int) -> Int { slot &>> blockBits }

    /// The part of a slot's number that counts in its block, and so is always in it.
    private func place(in slot: Int) -> Int { slot & (blockSize - 1) }

    @inline(never)
    private mutating func addBlock(_ index: Int) -> UnsafeMutablePointer<Entry> {
        while unsafe index >= blocks.count { unsafe blocks.append(nil) }
        let block = UnsafeMutablePointer<Entry>.allocate(capacity: blockSize)
        unsafe block.initialize(repeating: .none, count: blockSize)
        unsafe blocks[index] = block
        heldBlocks += 1
        return unsafe block
    }

    private mutating func removeBlock(_ index: Int) {
        guard let block = unsafe block(index) else { return }
        unsafe block.deallocate()
        unsafe blocks[index] = nil
        heldBlocks -= 1
    }
}
