// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON

/// Changes tokens in compact serialization: their text, the content of a segment, and combinations of several tokens.
///
/// The same seed gives the same changes.
public struct TokenMutator {
    private let originals: [[UInt8]]
    private var generator: SeededGenerator

    /// Makes a mutator.
    ///
    /// - Parameters:
    ///   - originals: Tokens of three segments; parts of one are inserted into another.
    ///   - seed: The same seed gives the same changes.
    public init(originals: [String], seed: UInt64) {
        self.originals = originals.map { Array($0.utf8) }
        generator = SeededGenerator(seed: seed)
    }

    /// One of the tokens with one to three changes; sometimes they cancel each other out.
    public mutating func next() -> String {
        var text = originals.randomElement(using: &generator) ?? []
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<3: changeBytes(&text)
            case 3: exchangeSegment(of: &text)
            case 4: splice(&text)
            case 5: negateSignature(of: &text)
            default: changeInside(&text)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func changeBytes(_ bytes: inout [UInt8]) {
        let index = Int.random(in: 0...bytes.count, using: &generator)
        let end = min(bytes.count, index + Int.random(in: 1...8, using: &generator))
        switch Int.random(in: 0..<8, using: &generator) {
        case 0 where index < bytes.count: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1 where index < bytes.count: bytes[index] = UInt8.random(in: 0...255, using: &generator)
        case 2 where index < bytes.count:
            bytes[index] = Self.alphabet.randomElement(using: &generator) ?? 0
        case 3: bytes.removeSubrange(index..<end)
        case 4: bytes.insert(contentsOf: bytes[index..<end], at: index)
        case 5: bytes.removeSubrange(index...)
        case 6: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: index)
        default: bytes.insert(contentsOf: Self.phrases.randomElement(using: &generator) ?? [], at: index)
        }
    }

    /// Changes the content of a segment, and encodes it again.
    private mutating func changeInside(_ text: inout [UInt8]) {
        var segments = Self.segments(of: text)
        let number = Int.random(in: segments.indices, using: &generator)
        guard var bytes = try? Base64URL.decode(segments[number][...]) else { return }
        changeBytes(&bytes)
        segments[number] = Base64URL.encodeToBytes(bytes)
        text = Array(segments.joined(separator: [Self.dot]))
    }

    /// Replaces a segment with that of another token.
    private mutating func exchangeSegment(of text: inout [UInt8]) {
        var segments = Self.segments(of: text)
        let others = Self.segments(of: originals.randomElement(using: &generator) ?? [])
        let number = Int.random(in: segments.indices, using: &generator)
        segments[number] = others.randomElement(using: &generator) ?? []
        text = Array(segments.joined(separator: [Self.dot]))
    }

    private mutating func splice(_ text: inout [UInt8]) {
        let other = originals.randomElement(using: &generator) ?? []
        let index = Int.random(in: 0...min(text.count, other.count), using: &generator)
        text.replaceSubrange(index..., with: other[index...])
    }

    /// (r, n - s) for (r, s): also a valid signature, if it is ECDSA on P-256.
    private mutating func negateSignature(of text: inout [UInt8]) {
        text = Array(TokenTwin.twin(of: String(decoding: text, as: UTF8.self)).utf8)
    }

    /// At least one, possibly empty.
    private static func segments(of text: [UInt8]) -> [[UInt8]] {
        text.split(separator: dot, omittingEmptySubsequences: false).map(Array.init)
    }

    private static let dot = UInt8(ascii: ".")
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=.+/ ".utf8)
    private static let phrases: [[UInt8]] = [
        #""alg":"none","#, #""alg":"HS256","#, #""crit":["b64"],"#, #""b64":false,"#, #""d":"AQ","#, #""typ":"JWT","#,
        #""jti":"x","#, #""iat":1790000001,"#, #""htu":"https://api.example.com/other","#, #""htm":"POST","#, "\\u0000",
        "\u{FEFF}", " ", "\n", "=", "==", "AAAA", ".", "..", ",", #"{"a":"#, "[[[[[[[[[[[[[[[[[", "null,", "1e999,",
    ].map { Array($0.utf8) }
}
