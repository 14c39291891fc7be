// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

extension FuzzTarget {
    /// A form that is read reads as it was when it is written, in letters that need no more encoding.
    static let form = FuzzTarget("form") { input in
        let parameters: FormParameters
        do throws(HTTPMessageError) {
            parameters = try FormParameters(decoding: input)
        } catch {
            Finding.unless(error.code == .malformedForm, "refused with the wrong code \(error.code)")
            return
        }
        Finding.unless(parameters.all.count <= 256, "more parameters than allowed")
        let written = parameters.encoded()
        Finding.unless((try? FormParameters(decoding: written)) == parameters, "reads otherwise when it is written")
        let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._*+%=&".utf8)
        Finding.unless(written.utf8.allSatisfy(letters.contains), "a character is written that must be encoded")
        for parameter in parameters.all.prefix(8) {
            let values = parameters.values(for: parameter.name)
            Finding.unless(values.contains { $0.utf8.elementsEqual(parameter.value.utf8) }, "a value is not found")
            let single = try? parameters.value(for: parameter.name)
            Finding.unless(values.count == 1 || single == nil, "a repeated parameter has one value")
        }
    }

    /// Challenges that are read, up to 16 KiB in lines, read as they were when they are written.
    static let challenge = FuzzTarget("challenge") { input in
        let fields = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        let challenges: [Challenge]
        do throws(HTTPMessageError) {
            challenges = try Challenge.parse(fields)
        } catch {
            Finding.unless(error.code == .malformedChallenge, "refused with the wrong code \(error.code)")
            return
        }
        Finding.unless(challenges.count <= Challenge.maximumCount, "more challenges than allowed")
        let written = challenges.map(\.fieldValue)
        // Quoting may make the text longer than what is read.
        guard written.joined().utf8.count <= Challenge.maximumLength else { return }
        Finding.unless((try? Challenge.parse(written)) == challenges, "reads otherwise when it is written: \(written)")
        for challenge in challenges {
            for parameter in challenge.parameters.prefix(8) {
                Finding.unless(challenge.value(for: parameter.name) == parameter.value, "a parameter is not found")
            }
        }
    }

    /// Credentials and requests: parts are what stood in the text, in any case of the names.
    static let http = FuzzTarget("http") { input in
        let text = String(decoding: input, as: UTF8.self)
        if let credentials = try? Credentials.parse(text) {
            let again = try? Credentials.parse("\(credentials.scheme) \(credentials.token68)")
            Finding.unless(
                again?.token68 == credentials.token68 && again?.scheme == credentials.scheme,
                "read otherwise"
            )
            Finding.unless(
                text.hasPrefix(credentials.scheme) && text.hasSuffix(credentials.token68),
                "the credentials are not what was sent"
            )
            // A short scheme is printed, and a short token may be a part of it.
            Finding.unless(
                !"\(credentials)".contains(credentials.token68) || credentials.token68.utf8.count <= 16,
                "printed"
            )
        }
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        checkRequest(target: lines.first.flatMap { String($0) } ?? "")
        checkFields(lines.dropFirst().prefix(64).compactMap { String($0) })
    }

    private static func checkRequest(target: String) {
        let request = HTTPRequest(target: target)
        let rebuilt = String(request.path) + (request.query.map { "?" + $0 } ?? "")
        Finding.unless(rebuilt.utf8.elementsEqual(target.utf8), "path and query are not the target")
        Finding.unless(!request.path.utf8.contains(UInt8(ascii: "?")), "a query is part of the path")
    }

    private static func checkFields(_ lines: [String]) {
        var fields = HTTPFields()
        for line in lines {
            let parts = line.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1).compactMap { String($0) }
            if parts.count == 2 { fields.append(name: parts[0], value: parts[1]) }
        }
        for field in fields.all {
            let values = fields.values(for: field.name)
            Finding.unless(values.contains { $0.utf8.elementsEqual(field.value.utf8) }, "a field is not found")
            Finding.unless(fields[field.name] == values.first, "the first field is another one")
            var changed = fields
            changed[field.name] = "new"
            Finding.unless(changed.values(for: field.name) == ["new"], "a field that was replaced is still there")
            Finding.unless(changed.all.count == fields.all.count - values.count + 1, "another field was removed")
        }
    }
}
