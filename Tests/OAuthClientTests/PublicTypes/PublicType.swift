// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A public type of the sources, for tests that must not miss one.
struct PublicType: Hashable {
    /// The name, with those of the types around it: `HTTPFields.Field`.
    let name: String
    /// What it inherits from and conforms to, in its declaration.
    let inherited: Set<String>

    /// The modules that an app gets with `import Keybound`, and those whose values they hand on.
    static let clientModules = [
        "OAuthSystem", "HTTPMessage", "StrictJSON", "JOSE", "PKCE", "DPoP", "OAuthCore", "SigningKeys",
        "OAuthTransport",
        "OAuthClient",
    ]

    /// All public structs, enumerations, classes and actors of the modules of a client, whatever platform they are for.
    static func ofClient() throws -> [PublicType] {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources")
        var found: [PublicType] = []
        for module in clientModules {
            let folder = sources.appending(path: module)
            let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? []
            for case let file as URL in files where file.pathExtension == "swift" {
                found += try inSource(String(contentsOf: file, encoding: .utf8))
            }
        }
        let names = Set(found.map(\.name))
        // What is inside a type that is not public is not public.
        return found.filter { type in
            let outer = type.name.split(separator: ".").dropLast().joined(separator: ".")
            return outer.isEmpty || names.contains(outer)
        }
    }

    /// The public types that one file declares.
    ///
    /// The formatter sees to it that what is inside a type is indented.
    static func inSource(_ source: String) -> [PublicType] {
        let declaration =
            /^( *)((?:@\w+(?:\([^)]*\))? |\w+ )*?)(struct|enum|class|actor|extension) ([A-Z][\w.]*)([^{]*)(?:\{|$)/
        var (found, around): ([PublicType], [(indentation: Int, name: String)]) = ([], [])
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() {
            guard let parts = line.prefixMatch(of: declaration) else { continue }
            let (indentation, name) = (parts.output.1.count, String(parts.output.4))
            around.removeAll { $0.indentation >= indentation }
            let qualified = ((around.last.map { [$0.name] } ?? []) + [name]).joined(separator: ".")
            around.append((indentation, qualified))
            guard parts.output.3 != "extension", parts.output.2.contains("public ") else { continue }
            let heading = lines[number...].joined(separator: "\n").prefix { $0 != "{" }
            let inherited = heading.split(separator: ":", maxSplits: 1).dropFirst().joined()
            found.append(
                PublicType(name: qualified, inherited: Set(inherited.matches(of: /[A-Z]\w*/).map { String($0.output) }))
            )
        }
        return found
    }
}
