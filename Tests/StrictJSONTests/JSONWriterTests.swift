// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON
import Testing

@Suite("RFC 8259: JSON as it is written")
struct JSONWriterTests {
    private func written(_ write: (inout [UInt8]) -> Void) -> String {
        var output: [UInt8] = []
        write(&output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test(arguments: [0, 9, 10, 99, 100, 1_700_000_000, -1, -10, .max, .min] as [Int64])
    func `section 6: an integer is its decimal digits`(integer: Int64) {
        #expect(written { JSONWriter.write(integer, to: &$0) } == "\(integer)")
    }

    /// Texts are looked through eight bytes at a time, and their ends byte by byte or once more.
    @Test(arguments: [
        ("\"", "\\\""), ("\\", "\\\\"), ("\n", "\\u000a"), ("\u{1F}", "\\u001f"), ("é", "é"), ("\u{7F}", "\u{7F}"),
    ])
    func `section 7: what must be escaped is, wherever it stands`(character: String, form: String) {
        for count in 0..<26 {
            for place in 0...count {
                let (before, behind) = (
                    String(repeating: "a", count: place), String(repeating: "b", count: count - place)
                )
                let text = written { JSONWriter.write(before + character + behind, to: &$0) }
                #expect(text == "\"\(before)\(form)\(behind)\"")
            }
        }
    }
}
