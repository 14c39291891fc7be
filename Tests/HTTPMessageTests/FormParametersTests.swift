// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import Testing

@Suite("RFC 6749 appendix B: form encoding")
struct FormParametersTests {
    @Test func `encodes the example of the appendix`() {
        // U+0020 U+0025 U+0026 U+002B U+00A3 U+20AC.
        #expect(FormParameters.encode(" %&+\u{A3}\u{20AC}") == "+%25%26%2B%C2%A3%E2%82%AC")
    }

    @Test func `encodes everything outside of letters, digits and four marks`() {
        let form: FormParameters = ["a+b": "c~d/e?f&g=h;i", "-._*": "", "redirect_uri": "https://a/cb?x=1"]
        #expect(
            form.encoded()
                == "a%2Bb=c%7Ed%2Fe%3Ff%26g%3Dh%3Bi&-._*=&redirect_uri=https%3A%2F%2Fa%2Fcb%3Fx%3D1"
        )
        #expect(FormParameters().encoded() == "")
    }

    @Test(arguments: [
        ("", []), ("a=b", ["a", "b"]), ("a=b&c=d", ["a", "b", "c", "d"]), ("a=b=c", ["a", "b=c"]), ("a", ["a", ""]),
        ("a=", ["a", ""]), ("=b", ["", "b"]), ("=", ["", ""]), ("&&a=b&", ["a", "b"]),
        ("a=b+c%2Bd%20e", ["a", "b c+d e"]),
        ("%61=%3d%26", ["a", "=&"]), ("+=+", [" ", " "]), ("s=a b", ["s", "a b"]),
        ("u=\u{FC}%C3%BC", ["u", "\u{FC}\u{FC}"]),
        ("n=%00", ["n", "\u{0}"]), ("a=b;c=d", ["a", "b;c=d"]),
    ])
    func `decodes`(text: String, expected: [String]) throws {
        let form = try FormParameters(decoding: text)
        #expect(form.all.flatMap { [$0.name, $0.value] } == expected)
    }

    @Test(arguments: [
        "a=%", "a=%4", "a=%4&b=c", "a=%zz", "%=a", "a=%+1", "a=%FF", "a=%C3", "a=%C3&b=%BC", "%C3=%BC", "a=%ED%A0%80",
        "a=%C0%AF",
        "a=b\r\n", "a=\u{0}", "a=\u{7F}", "a\t=b",
    ])
    func `refuses what does not decode strictly`(text: String) {
        let error = #expect(throws: HTTPMessageError.self) { try FormParameters(decoding: text) }
        #expect(error?.code == .malformedForm)
    }

    @Test func `refuses bytes that are not UTF-8`() {
        #expect(throws: HTTPMessageError.self) { try FormParameters(decoding: [0x61, 0x3D, 0xFF]) }
    }

    @Test func `reads as many parameters as allowed and not one more`() throws {
        let text = Array(repeating: "a=b", count: 256).joined(separator: "&")
        #expect(try FormParameters(decoding: text).all.count == 256)
        #expect(throws: HTTPMessageError.self) { try FormParameters(decoding: text + "&c") }
        #expect(try FormParameters(decoding: "a&b&&", maximumCount: 2).all.count == 2)
        #expect(throws: HTTPMessageError.self) { try FormParameters(decoding: "a&b&c", maximumCount: 2) }
    }

    @Test func `decodes what it encodes, whatever the text`() throws {
        var random = SeededBytes(seed: 2)
        for _ in 0..<500 {
            var form = FormParameters()
            for _ in 0..<Int.random(in: 0...5, using: &random) {
                form.append(random.text(maximumCount: 12), random.text(maximumCount: 40))
            }
            let encoded = form.encoded()
            #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
            #expect(try FormParameters(decoding: encoded) == form)
            #expect(try FormParameters(decoding: Array(encoded.utf8)) == form)
        }
    }

    @Test func `random bytes either decode or throw`() {
        var random = SeededBytes(seed: 3)
        let alphabet = Array("=&%+a0fF\u{0}\u{FC}".utf8)
        var decoded = 0
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0...12, using: &random)).compactMap { _ in
                alphabet.randomElement(using: &random)
            }
            guard let form = try? FormParameters(decoding: bytes) else { continue }
            decoded += 1
            #expect((try? FormParameters(decoding: form.encoded())) == form)
        }
        #expect(decoded > 100)
    }
}

@Suite("RFC 6749 section 3.1: repeated and empty parameters")
struct FormParametersLookupTests {
    @Test func `an empty value counts as absent`() throws {
        let form: FormParameters = ["a": "", "b": "c"]
        #expect(try form.value(for: "a") == nil)
        #expect(try form.value(for: "b") == "c")
        #expect(try form.value(for: "d") == nil)
        #expect(try form.value(for: "B") == nil)
    }

    @Test(arguments: ["a=1&a=1", "a=1&b=2&a=", "a=&a=", "a&a=1", "%61=1&a=2"])
    func `a repeated parameter is an error, even when empty`(text: String) throws {
        let form = try FormParameters(decoding: text)
        let error = #expect(throws: HTTPMessageError.self) { try form.value(for: "a") }
        #expect(error?.code == .duplicateParameter)
        #expect(form.firstRepeatedName == "a")
    }

    @Test func `parameters that may repeat are read in order`() throws {
        let form = try FormParameters(decoding: "resource=x&a=b&resource=y&resource=")
        #expect(form.values(for: "resource") == ["x", "y", ""])
        #expect(form.values(for: "z") == [])
        #expect(form.firstRepeatedName == "resource")
        #expect(try FormParameters(decoding: "a=1&b=2").firstRepeatedName == nil)
    }

    @Test func `names are compared byte by byte, not as canonically equivalent text`() throws {
        // U+212A KELVIN SIGN is canonically equivalent to K.
        let form = try FormParameters(decoding: "K=1&%E2%84%AA=2")
        #expect(try form.value(for: "K") == "1")
        #expect(form.values(for: "\u{212A}") == ["2"])
        #expect(form.firstRepeatedName == nil)
    }

    @Test func `printing shows no value`() throws {
        let form: FormParameters = ["code": "s3cret"]
        var dumped = ""
        dump(form, to: &dumped)
        #expect(!dumped.contains("s3cret"))
        #expect(!"\(form)".contains("s3cret"))
        #expect(!String(reflecting: form).contains("s3cret"))
        let twice: FormParameters = ["code": "s3cret", "code": "s3cret"]
        let error = #expect(throws: HTTPMessageError.self) { try twice.value(for: "code") }
        #expect(error.map { "\($0)".contains("s3cret") } == false)
    }
}
