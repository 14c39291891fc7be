// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Creates zeroed bytes.
    ///
    /// `init(repeating:count:)` is not specialized in programs: it looks up its memory type on each call, which takes
    /// as long as everything else.
    @inlinable
    package init(zeros count: Int) {
        self.init(repeatElement(0, count: count))
    }
}
