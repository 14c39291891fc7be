// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite struct DocumentedExampleTests {
    @Test(arguments: [("TestYourSignIn", "AccountExampleTests"), ("TestYourAPI", "APIExampleTests")])
    func `the code of the article is the one that is tested`(article name: String, tests: String) throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let article = root.appending(path: "Sources/OAuthTesting/Documentation.docc/\(name).md")
        let tested = root.appending(path: "Tests/OAuthTestingTests/\(tests).swift")
        let fences = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "```swift\n")
        let example = try #require(fences.dropFirst().first?.components(separatedBy: "```").first)
        // All but the licence and the empty line after it.
        let lines = try String(contentsOf: tested, encoding: .utf8).components(separatedBy: "\n").dropFirst(2)
        #expect(lines.joined(separator: "\n") == example)
    }
}
