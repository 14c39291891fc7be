// SPDX-License-Identifier: Apache-2.0

import JOSE
import StrictJSON

extension FuzzTarget {
    /// What is read, Foundation reads too; written again, it reads as it was; a member is found by its name.
    static let json = FuzzTarget("json") { input in
        let value: JSONValue
        do throws(StrictJSONError) {
            value = try JSONValue(parsing: input)
        } catch {
            let isTooLarge = input.count > JSONLimits.standard.maximumSize
            let isRight = error.code == (isTooLarge ? .tooLarge : .malformedJSON)
            Finding.unless(isRight, "refused with the wrong code \(error.code)")
            return
        }
        Finding.unless(FoundationJSON.agrees(value, with: input), "Foundation reads otherwise")
        checkEmission(of: value)
        checkMembers(of: value)
        let tighter = JSONLimits(maximumSize: 1024, maximumDepth: 4, maximumNumberLength: 8)
        if let same = try? JSONValue(parsing: input, limits: tighter) {
            Finding.unless(same == value && input.count <= 1024, "with other limits it reads otherwise")
        }
    }

    /// Any tree of values, written and read again, is what it was.
    static let jsonEmission = FuzzTarget("json-emission") { input in
        var bytes = input[...]
        checkEmission(of: tree(from: &bytes, depth: 6))
    }

    /// Written and read again, a value is what it was, and is written the same the second time.
    private static func checkEmission(of value: JSONValue) {
        let written = value.encoded()
        let limits = JSONLimits(maximumSize: .max, maximumDepth: 16, maximumNumberLength: 32)
        guard let again = try? JSONValue(parsing: written, limits: limits) else {
            Finding.report("what was written is refused: \(String(decoding: written, as: UTF8.self))")
        }
        Finding.unless(again == value, "what was written reads otherwise")
        Finding.unless(again.encoded() == written, "the second writing differs from the first")
        Finding.unless(again.hashValue == value.hashValue, "equal values have different hashes")
    }

    /// Asking for a member by its name and walking over all members find the same.
    private static func checkMembers(of value: JSONValue) {
        for element in value.arrayValue ?? [] { checkMembers(of: element) }
        guard let object = value.objectValue else { return }
        // Each look-up walks over all members: so many are enough.
        for member in object.members.prefix(32) {
            Finding.unless(object[member.name] == member.value, "a member has another value when it is asked for")
            checkMembers(of: member.value)
        }
        Finding.unless(object["\u{0}there is no such member"] == nil, "a member is there that is not")
    }

    private static func tree(from bytes: inout ArraySlice<UInt8>, depth: Int) -> JSONValue {
        let kind = bytes.popFirst() ?? 0
        switch kind % (depth > 0 ? 9 : 6) {
        case 0: return .null
        case 1: return .bool(kind > 127)
        case 2, 3:
            let number = bytes.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
            bytes = bytes.dropFirst(8)
            return .number(JSONNumber(number))
        case 4, 5: return .string(text(from: &bytes))
        case 6, 7: return .array((0..<Int(kind >> 5)).map { _ in tree(from: &bytes, depth: depth - 1) })
        default:
            var object = JSONObject()
            for _ in 0..<Int(kind >> 5) { object[text(from: &bytes)] = tree(from: &bytes, depth: depth - 1) }
            return .object(object)
        }
    }

    private static func text(from bytes: inout ArraySlice<UInt8>) -> String {
        let count = Int(bytes.popFirst() ?? 0) % 24
        defer { bytes = bytes.dropFirst(count) }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
