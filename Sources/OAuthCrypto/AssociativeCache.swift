// SPDX-License-Identifier: Apache-2.0

/// A fixed-size cache of recently used values, looked up by a hash.
///
/// Four-way set-associative: a new entry evicts one of the four in its set, in rotation. An attacker who fills the
/// cache causes misses, never wrong results.
@usableFromInline package struct AssociativeCache<Value> {
    @usableFromInline
    struct Place {
        @usableFromInline
        var number: UInt64
        @usableFromInline
        var value: Value?

        @inlinable
        init(number: UInt64, value: Value?) { (self.number, self.value) = (number, value) }
    }

    @inlinable
    static var choices: Int { 4 }

    @usableFromInline
    var places: [Place]
    @usableFromInline
    var turn = 0

    /// Creates an empty cache.
    ///
    /// - Parameter capacity: The maximum number of values: a power of two, at least 4.
    @inlinable
    package init(capacity: Int) {
        precondition(capacity >= Self.choices && capacity.nonzeroBitCount == 1)
        places = [Place](repeating: Place(number: 0, value: nil), count: capacity)
    }

    /// The value for a hash, which stays in the cache.
    ///
    /// - Parameter number: The hash.
    /// - Returns: The value, or another one with the same hash; `nil` if there is none.
    @inlinable
    package func value(of number: UInt64) -> Value? {
        index(of: number) { _ in true }.flatMap { places[$0].value }
    }

    /// Removes and returns the value for a hash.
    ///
    /// - Parameters:
    ///   - number: The hash.
    ///   - isWanted: Whether a value with this hash is the wanted one, since several may have the same hash.
    /// - Returns: The value; `nil` if it was evicted, or another caller has taken it.
    @inlinable
    package mutating func take(_ number: UInt64, where isWanted: (Value) -> Bool) -> Value? {
        index(of: number, where: isWanted).flatMap { places[$0].value.take() }
    }

    /// Inserts a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - number: Its hash. Hashes may agree in any bits.
    /// - Returns: The evicted value; `nil` if there was a free slot.
    @inlinable
    package mutating func put(_ value: Value, _ number: UInt64) -> Value? {
        let first = firstPlace(of: number)
        let free = (first..<first + Self.choices).first { places[$0].value == nil }
        if free == nil { turn = (turn + 1) % Self.choices }
        let index = free ?? first + turn
        let other = places[index].value
        places[index] = Place(number: number, value: value)
        return other
    }

    @inlinable
    func index(of number: UInt64, where isWanted: (Value) -> Bool) -> Int? {
        let first = firstPlace(of: number)
        for index in first..<first + Self.choices where places[index].number == number {
            if let value = places[index].value, isWanted(value) { return index }
        }
        return nil
    }

    /// The high bits of a product depend on all bits of the hash.
    @inlinable
    func firstPlace(of number: UInt64) -> Int {
        let sets = UInt64(places.count / Self.choices)
        let upper = (number &* 0x9E37_79B9_7F4A_7C15) >> UInt64(sets.leadingZeroBitCount + 1)
        return Int(upper) * Self.choices
    }
}
