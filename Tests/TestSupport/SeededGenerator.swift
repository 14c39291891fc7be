// SPDX-License-Identifier: Apache-2.0

/// Random numbers that are the same in every run (SplitMix64), to generate test inputs.
public struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// Makes a generator.
    ///
    /// - Parameter seed: The same seed gives the same numbers.
    public init(seed: UInt64) {
        state = seed
    }

    /// The next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }

    /// Random bytes.
    ///
    /// - Parameter count: How many bytes.
    /// - Returns: That many bytes.
    public mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
