// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite struct DocumentedExampleTests {
    @Test func `the app of the article is the one that is tested`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let article = root.appending(path: "Sources/OAuthTesting/Documentation.docc/TestYourSignIn.md")
        let tested = root.appending(path: "Tests/OAuthTestingTests/AccountExampleTests.swift")
        let fences = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "```swift\n")
        let example = try #require(fences.dropFirst().first?.components(separatedBy: "```").first)
        // All but the licence and the empty line after it.
        let lines = try String(contentsOf: tested, encoding: .utf8).components(separatedBy: "\n").dropFirst(2)
        #expect(lines.joined(separator: "\n") == example)
    }
}
