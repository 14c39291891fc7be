// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import AuthorizationServer

@Suite("Stylesheet of the pages")
struct PageStyleTests {
    @Test(arguments: SamplePages.all)
    func `stands between the style tags without a byte more`(html: String) throws {
        #expect(html.contains("<style>\(PageStyle.css)</style>"))
        #expect(html.components(separatedBy: "<style").count == 2)
    }

    @Test func `is text a parser does not change, so that its digest holds`() {
        #expect(PageStyle.css.utf8.allSatisfy { $0 == 0x0A || (0x20..<0x7F).contains($0) })
        #expect(!PageStyle.css.contains("<") && !PageStyle.css.contains("&"))
    }

    @Test func `the script of forms is such a text too, and stands between its tags without a byte more`() {
        #expect(SubmitGuard.script.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
        #expect(!SubmitGuard.script.contains("<") && !SubmitGuard.script.contains("&"))
        for html in [SamplePages.login().html(), SamplePages.consent().html(), SamplePages.deviceCode().html()] {
            #expect(html.contains("<script>\(SubmitGuard.script)</script>"))
        }
    }

    @Test func `loads nothing`() {
        #expect(!PageStyle.css.contains("url(") && !PageStyle.css.contains("@import"))
    }

    @Test func `moves nothing for those who ask for less motion`() throws {
        let parts = PageStyle.css.components(separatedBy: "@media (prefers-reduced-motion:no-preference)")
        #expect(parts.count == 2)
        #expect(!parts[0].contains("transition") && !parts[0].contains("animation"))
    }

    @Test func `makes every target at least 44 pixels high`() {
        for selector in ["input{", "button{", ".account button{", "summary{"] {
            #expect(PageStyle.css.contains(selector))
        }
        let heights = PageStyle.css.matches(of: /min-height:([0-9.]+)rem/).compactMap { Double($0.1) }
        #expect(heights.count == 4)
        #expect(heights.allSatisfy { $0 * 16 >= 44 })
    }

    @Test(arguments: [
        ("ink", "card", 4.5), ("ink", "page", 4.5), ("ink", "alarm", 4.5), ("ink", "tint", 4.5), ("soft", "card", 4.5),
        ("soft", "page", 4.5), ("accent", "card", 4.5), ("accent", "tint", 4.5), ("on", "accent", 4.5),
        ("on", "press", 4.5), ("bad", "card", 4.5), ("bad", "alarm", 4.5), ("edge", "card", 3), ("accent", "page", 3),
    ])
    func `keeps the contrast of WCAG 2-2, criteria 1-4-3 and 1-4-11`(front: String, back: String, least: Double) throws
    {
        for colours in try Self.schemes() {
            let ratio = try Self.contrast(#require(colours[front]), #require(colours[back]))
            #expect(ratio >= least, "\(front) on \(back) has \(ratio)")
        }
    }

    /// The light and the dark table of colours.
    private static func schemes() throws -> [[String: UInt32]] {
        let tables = PageStyle.css.components(separatedBy: ":root{").dropFirst().map { part in
            part.components(separatedBy: "}")[0].matches(of: /--([a-z]+):#([0-9a-f]+)/).compactMap {
                (match) -> (String, UInt32)? in
                let digits = String(match.2)
                let long = digits.count == 3 ? digits.map { "\($0)\($0)" }.joined() : digits
                return UInt32(long, radix: 16).map { (String(match.1), $0) }
            }
        }
        try #require(tables.count == 2)
        return tables.map { Dictionary($0) { first, _ in first } }
    }

    private static func contrast(_ first: UInt32, _ second: UInt32) -> Double {
        let lights = [luminance(first), luminance(second)].sorted()
        return (lights[1] + 0.05) / (lights[0] + 0.05)
    }

    /// Relative luminance as WCAG defines it.
    private static func luminance(_ colour: UInt32) -> Double {
        let channels = [16, 8, 0].map { shift -> Double in
            let value = Double(colour >> UInt32(shift) & 0xFF) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
    }
}
