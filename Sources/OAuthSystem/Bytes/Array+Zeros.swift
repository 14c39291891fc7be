// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Makes bytes that are zero.
    ///
    /// `init(repeating:count:)` is not specialised in programs: it looks up the type of its memory each time, which takes as
    /// long as all the rest.
    @inlinable
    package init(zeros count: Int) {
        self.init(repeatElement(0, count: count))
    }
}
