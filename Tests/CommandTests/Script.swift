// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A conversation with the command; `Scripts/README.md` says how it is written.
struct Script: Sendable, CustomTestStringConvertible {
    struct Step: Sendable {
        let words: [String]
        var input: [String] = []
        var status: Int32 = 0
        var output: [String] = []
        var errors: [String] = []
        var outputPieces: [String] = []
        var errorPieces: [String] = []
    }

    let name: String
    private(set) var steps: [Step] = []
    private(set) var files: [String: String] = [:]
    var testDescription: String { name }

    static let all: [Script] = {
        guard let directory = Bundle.module.resourceURL?.appendingPathComponent("Scripts"),
            let names = try? FileManager.default.contentsOfDirectory(atPath: directory.path)
        else { return [] }
        return names.sorted().filter { $0.hasSuffix(".txt") }.compactMap {
            try? Script(directory.appendingPathComponent($0))
        }
    }()

    private init(_ url: URL) throws {
        name = url.lastPathComponent
        let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
        var file: String?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) {
            if line.hasPrefix("-- "), line.hasSuffix(" --") {
                file = String(line.dropFirst(3).dropLast(3))
            } else if let file {
                files[file, default: ""] += line + "\n"
            } else if line.hasPrefix("$ ") {
                steps.append(Step(words: Self.words(of: line.dropFirst(2))))
            } else if !line.isEmpty, !line.hasPrefix("#") {
                try read(line)
            }
        }
    }

    private mutating func read(_ line: String) throws {
        guard !steps.isEmpty else { throw Malformed(script: name, line: line) }
        let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        let (mark, rest) = (parts[0], parts.count > 1 ? String(parts[1]) : "")
        let last = steps.count - 1
        switch mark {
        case "<": steps[last].input.append(rest)
        case ">": steps[last].output.append(rest)
        case "!": steps[last].errors.append(rest)
        case ">~": steps[last].outputPieces.append(rest)
        case "!~": steps[last].errorPieces.append(rest)
        case "?": steps[last].status = Int32(rest) ?? -1
        default: throw Malformed(script: name, line: line)
        }
    }

    /// The words of a command line; single quotes hold together what has spaces.
    private static func words(of line: Substring) -> [String] {
        line.split(separator: "'", omittingEmptySubsequences: false).enumerated().reduce(into: [""]) { words, part in
            let isQuoted = part.offset % 2 == 1
            let pieces =
                isQuoted ? [part.element] : part.element.split(separator: " ", omittingEmptySubsequences: false)
            words[words.count - 1] += pieces.first ?? ""
            words += pieces.dropFirst().map(String.init)
        }.filter { !$0.isEmpty }
    }

    struct Malformed: Error {
        let script: String
        let line: String
    }
}
