// SPDX-License-Identifier: Apache-2.0

/// Random numbers that are the same in every run (SplitMix64).
struct SeededBytes: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }

    /// A text of up to `maximumCount` scalars, mostly ASCII, of every kind that trips encoders.
    mutating func text(maximumCount: Int) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...maximumCount, using: &self) {
            let range: ClosedRange<UInt32> =
                switch Int.random(in: 0..<8, using: &self) {
                case 0: 0...0x1F
                case 1: 0x80...0x7FF
                case 2: 0xE000...0xFFFF
                case 3: 0x1_F300...0x1_F6FF
                default: 0x20...0x7F
                }
            if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &self)) {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
