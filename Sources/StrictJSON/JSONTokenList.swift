// SPDX-License-Identifier: Apache-2.0

/// The tokens of a text during scanning.
///
/// They are in memory of the caller at first, and in a separate allocation once there are many.
///
/// Safe although it holds a pointer: only the scanner uses it, which exists only during the call that lends the memory,
/// and it accesses only tokens that it appended.
@safe
struct JSONTokenList: ~Copyable {
    /// More than a proof has; one kilobyte.
    static let lentCount = 64

    private var memory: UnsafeMutableBufferPointer<JSONToken>
    private var isOwn = false
    private(set) var count = 0

    init(lent memory: UnsafeMutableBufferPointer<JSONToken>) {
        unsafe self.memory = memory
    }

    deinit {
        if isOwn { unsafe memory.deallocate() }
    }

    var tokens: UnsafeBufferPointer<JSONToken> { unsafe UnsafeBufferPointer(rebasing: memory[..<count]) }

    subscript(index: Int) -> JSONToken {
        get { unsafe memory[index] }
        set { unsafe memory[index] = newValue }
    }

    mutating func append(_ token: JSONToken) {
        if unsafe count == memory.count { grow() }
        unsafe memory.initializeElement(at: count, to: token)
        count &+= 1
    }

    @inline(never)
    private mutating func grow() {
        let larger = unsafe UnsafeMutableBufferPointer<JSONToken>.allocate(capacity: 2 * memory.count)
        _ = unsafe larger.moveInitialize(fromContentsOf: memory)
        if isOwn { unsafe memory.deallocate() }
        unsafe memory = larger
        isOwn = true
    }
}
