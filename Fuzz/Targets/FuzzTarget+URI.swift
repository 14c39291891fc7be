// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage

extension FuzzTarget {
    /// The parts of a URI make the URI; normalising ends after one time; both readers of a target URI agree.
    static let uri = FuzzTarget("uri") { input in
        let text = String(decoding: input, as: UTF8.self)
        let uri = try? URI(parsing: text)
        let target = try? TargetURI(parsing: text)
        Finding.unless(target == uri.flatMap { try? TargetURI($0) }, "the quick reader of target URIs reads otherwise")
        guard let uri else { return }
        Finding.unless(text.utf8.count <= URI.maximumLength && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "read")
        checkParts(of: uri, text)
        if let normalized = try? uri.normalized() { checkNormalization(normalized, of: uri) }
        if let target {
            let again = try? TargetURI(parsing: target.description)
            Finding.unless(
                again == target || target.description.utf8.count > URI.maximumLength,
                "not its own target URI"
            )
            Finding.unless(!target.description.utf8.contains { $0 == 0x3F || $0 == 0x23 }, "a query is left")
            let sent = try? TargetURI(parsing: target.htu)
            Finding.unless(
                sent == target && sent?.htu == target.htu || target.htu.utf8.count > URI.maximumLength,
                "the text of a proof is another target URI"
            )
        }
    }

    /// On two lines a redirect URI and a form: answering adds the parameters and changes nothing else.
    static let redirect = FuzzTarget("redirect") { input in
        let lines = input.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        guard lines.count == 2, let uri = try? URI(parsing: String(decoding: lines[0], as: UTF8.self)),
            let parameters = try? FormParameters(decoding: lines[1])
        else { return }
        let answer = uri.appendingQuery(parameters)
        checkParts(of: answer, answer.description)
        Finding.unless(
            answer.scheme == uri.scheme && answer.host == uri.host && answer.port == uri.port && answer.path == uri.path
                && answer.userinfo == uri.userinfo && answer.fragment == uri.fragment,
            "something else than the query changed"
        )
        Finding.unless((answer.query ?? "").hasPrefix(uri.query ?? ""), "the query that was there changed")
        if answer.description.utf8.count <= URI.maximumLength {
            Finding.unless((try? URI(parsing: answer.description)) == answer, "the answer is not a URI")
        }
        // The query of a redirect URI need not be a form; one that is stays what it was.
        guard let before = try? FormParameters(decoding: uri.query ?? "") else { return }
        let after = try? FormParameters(decoding: answer.query ?? "", maximumCount: 512)
        Finding.unless(after?.all == before.all + parameters.all, "the parameters are not added at the end")
    }

    private static func checkParts(of uri: URI, _ text: String) {
        let authority = uri.host.map { "//" + (uri.userinfo.map { $0 + "@" } ?? "") + $0 } ?? ""
        let rest = uri.path + (uri.query.map { "?" + $0 } ?? "") + (uri.fragment.map { "#" + $0 } ?? "")
        // The port is a number: leading zeros and an empty port do not show.
        let start = uri.scheme + ":" + authority
        Finding.unless(text.hasPrefix(start) && text.hasSuffix(rest), "the parts are not those of the text")
        let port = text.dropFirst(start.count).dropLast(rest.count)
        let digits = port.dropFirst().drop { $0 == "0" }
        let expected = uri.port == 0 ? "" : uri.port.map { "\($0)" } ?? ""
        Finding.unless(
            port.isEmpty ? uri.port == nil : port.first == ":" && digits == expected,
            "the port is another one"
        )
    }

    private static func checkNormalization(_ normalized: URI, of uri: URI) {
        let text = normalized.description
        Finding.unless((try? normalized.normalized()) == normalized, "normalising again changes \(text)")
        Finding.unless(
            (try? URI(parsing: text)) == normalized || text.utf8.count > URI.maximumLength,
            "not a URI: \(text)"
        )
        Finding.unless(normalized.origin == uri.origin, "the origin changes to \(normalized.origin ?? "none")")
        Finding.unless((normalized.host == nil) == (uri.host == nil), "the host appears or disappears: \(text)")
        Finding.unless(normalized.isLoopbackIPLiteral || !uri.isLoopbackIPLiteral, "it is no loopback address any more")
        for piece in text.split(separator: "%").dropFirst() {
            let digits = piece.prefix(2)
            let byte = UInt8(digits, radix: 16) ?? 0
            let isUnreserved =
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || "0123456789-._~".utf8.contains(byte)
            Finding.unless(!isUnreserved && digits == digits.uppercased(), "an encoding is not normal in \(text)")
        }
        let names = normalized.path.split(separator: "/")
        Finding.unless(!names.contains { $0 == "." || $0 == ".." }, "a dot segment is left in \(text)")
    }
}
