// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import Testing

@Suite("Bytes as hexadecimal digits")
struct HexadecimalTests {
    @Test func `each byte has two lower-case digits`() {
        #expect([UInt8]().hexadecimal == "")
        #expect(([0x00, 0x0A, 0xA0, 0xFF] as [UInt8]).hexadecimal == "000aa0ff")
        #expect((UInt8.min...UInt8.max).hexadecimal.utf8.count == 512)
        #expect(([1, 2, 3, 4] as [UInt8]).dropFirst(2).hexadecimal == "0304")
    }
}
