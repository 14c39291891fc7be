// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import StrictJSON
import Testing

/// Values of public types, with a mark wherever they can hold a secret.
struct MarkedValues {
    static let mark = "MARK7f3aQz"
    /// As a code verifier or secret has to be.
    static let longMark = mark + String(repeating: "x", count: 40)
    static let bytes = Array(longMark.utf8)
    static let number: Int64 = 7_391_846_201_573

    /// An error of a store or a server, which may say anything.
    struct Foreign: Error {
        let text = MarkedValues.mark
    }

    /// By the names of their types, as in ``PublicType/name``.
    private(set) var values: [String: [Any]] = [:]
    /// What must not be printed besides the mark: tokens and keys that are made at random.
    private(set) var texts: Set<String> = [mark, String(number), mark.uppercased()]
    private(set) var octets: [[UInt8]] = [Array(mark.utf8)]

    mutating func add(_ values: Any...) {
        for value in values {
            // The name without the module.
            let name = String(reflecting: type(of: value)).split(separator: ".").dropFirst().joined(separator: ".")
            self.values[name, default: []].append(value)
        }
    }

    mutating func hide(_ texts: String...) { self.texts.formUnion(texts) }

    mutating func hide(_ octets: [UInt8]) { self.octets.append(octets) }

    /// Hides the parts of a signed token that are no public header.
    mutating func hide(token: String) {
        for part in token.split(separator: ".").dropFirst() { texts.insert(String(part)) }
    }

    /// The secrets in what is printed of a value.
    func secrets(in value: Any) -> Set<String> {
        var dumped = ""
        dump(value, to: &dumped)
        let printed = ["\(value)", String(reflecting: value), dumped]
        var found = texts.filter { text in printed.contains { $0.contains(text) } }
        // Bytes are printed as numbers, in `dump` on a line each.
        let numbers = printed.map { " " + $0.split { !$0.isNumber }.joined(separator: " ") + " " }
        for octets in octets {
            let run = " " + octets.map(String.init).joined(separator: " ") + " "
            if numbers.contains(where: { $0.contains(run) }) { found.insert("bytes \(run)") }
        }
        return found
    }

    static func all() async throws -> MarkedValues {
        var all = MarkedValues()
        try all.addMessages()
        try await all.addSignatures()
        try await all.addProofs()
        try all.addTokens()
        try await all.addKeys()
        #if os(Linux)
        try all.addTransports()
        try await all.addPeople()
        #endif
        try await all.addSignIn()
        try await all.addFirstParty()
        try all.addClient()
        return all
    }
}
