// SPDX-License-Identifier: Apache-2.0

extension Sequence<UInt8> {
    /// The bytes as lower-case hexadecimal digits, two for each.
    ///
    /// Not for secrets: the time that it takes may depend on the bytes.
    package var hexadecimal: String {
        map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
