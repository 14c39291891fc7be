// SPDX-License-Identifier: Apache-2.0

/// A shell for which `keybound completion` prints a script.
enum ShellCompletion: String, CaseIterable {
    case bash
    case zsh
    case fish

    /// The script; it reads the command table only when it is made.
    var script: String {
        switch self {
        case .bash: BashCompletion.script()
        case .zsh: ZshCompletion.script()
        case .fish: FishCompletion.script()
        }
    }

    /// The words that may follow `keybound` and the words before them, with what each leads to.
    ///
    /// The key is the words so far, separated by spaces.
    static let nextWords: [(path: String, words: [(word: String, summary: String)])] = {
        var paths: [String] = []
        var words: [String: [(word: String, summary: String)]] = [:]
        for syntax in CommandTable.commands.map({ $0.syntax }) {
            for index in syntax.words.indices {
                let path = syntax.words[..<index].joined(separator: " ")
                let isWhole = index == syntax.words.count - 1
                if words[path] == nil { paths.append(path) }
                let known = words[path, default: []].firstIndex { $0.word == syntax.words[index] }
                let summary = isWhole ? syntax.summary : "\(syntax.words[...index].joined(separator: " ")) ..."
                if let known {
                    if isWhole { words[path]?[known].summary = summary }
                } else {
                    words[path, default: []].append((syntax.words[index], summary))
                }
            }
        }
        words["", default: []].append(("help", "the help of a command"))
        return paths.map { ($0, words[$0] ?? []) }
    }()

    /// A word in single quotes, for all three shells.
    static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
