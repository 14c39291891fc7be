// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// The decoded attributes of a `pkcs11` URI; names of query attributes start with `?`.
struct PKCS11URIAttributes {
    private static let scheme = "pkcs11:"
    private var values: [String: [UInt8]] = [:]

    init(_ text: String) throws(KeyStoreError) {
        guard text.utf8.count <= PKCS11URI.maximumCount else { throw Self.malformed("it is too long") }
        // RFC 3986 section 3.1: schemes are case-insensitive.
        guard text.utf8.count >= Self.scheme.utf8.count, text.prefix(Self.scheme.count).lowercased() == Self.scheme
        else {
            throw Self.malformed("it does not begin with pkcs11:")
        }
        let rest = text.utf8.dropFirst(Self.scheme.utf8.count)
        let parts = rest.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        if let path = parts.first { try add(path, separator: ";", also: "&", prefix: "") }
        if parts.count > 1 { try add(parts[1], separator: "&", also: "/?|", prefix: "?") }
    }

    private mutating func add(
        _ part: Substring.UTF8View.SubSequence,
        separator: Unicode.Scalar,
        also: String,
        prefix: String
    ) throws(KeyStoreError) {
        guard !part.isEmpty else { return }
        let allowed = Self.allowed.union(also.utf8)
        for attribute in part.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false) {
            guard let sign = attribute.firstIndex(of: UInt8(ascii: "=")), sign > attribute.startIndex else {
                throw Self.malformed("an attribute has no name, or no '='")
            }
            let name = prefix + String(decoding: attribute[..<sign], as: UTF8.self)
            let value = try Self.decode(attribute[attribute.index(after: sign)...], allowed)
            guard values.updateValue(value, forKey: name) == nil else {
                throw Self.malformed("an attribute is given twice")
            }
        }
    }

    mutating func take(_ name: String) -> [UInt8]? { values.removeValue(forKey: name) }

    mutating func octets(_ name: String, maximumCount: Int) throws(KeyStoreError) -> [UInt8]? {
        guard let value = take(name) else { return nil }
        guard (1...maximumCount).contains(value.count) else {
            throw Self.malformed("\(name.drop { $0 == "?" }) has 1 to \(maximumCount) octets")
        }
        return value
    }

    mutating func text(_ name: String, maximumCount: Int) throws(KeyStoreError) -> String? {
        guard let value = try octets(name, maximumCount: maximumCount) else { return nil }
        guard let text = String(validating: value, as: UTF8.self), value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw Self.malformed("\(name.drop { $0 == "?" }) is not text")
        }
        return text
    }

    mutating func number(_ name: String) throws(KeyStoreError) -> UInt? {
        guard let text = try text(name, maximumCount: 20) else { return nil }
        guard let number = UInt(text), text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { throw Self.malformed("\(name) is not a number") }
        return number
    }

    mutating func path(_ name: String) throws(KeyStoreError) -> String? {
        guard let path = try text(name, maximumCount: 4096) else { return nil }
        guard path.hasPrefix("/") else {
            throw Self.malformed("\(name.drop { $0 == "?" }) is not a whole path, from the root")
        }
        return path
    }

    /// The path of a `file` URI on this machine (RFC 8089 section 2).
    mutating func fileURI(_ name: String) throws(KeyStoreError) -> String? {
        guard let text = try text(name, maximumCount: 4096) else { return nil }
        for prefix in ["file:///", "file://localhost/", "file:/"] where text.hasPrefix(prefix) {
            let path = "/" + text.dropFirst(prefix.count)
            guard !path.hasPrefix("//") else { break }
            return path
        }
        throw Self.malformed("pin-source is not file: and a whole path")
    }

    func requireNoMore() throws(KeyStoreError) {
        guard let name = values.keys.min() else { return }
        throw Self.malformed("'\(name.drop { $0 == "?" })' is not understood here")
    }

    /// Decodes percent-encoding; characters that RFC 7512 section 2.3 requires to be encoded must be.
    private static func decode(
        _ value: Substring.UTF8View.SubSequence,
        _ allowed: Set<UInt8>
    ) throws(KeyStoreError) -> [UInt8] {
        var decoded: [UInt8] = []
        var rest = value
        while let octet = rest.popFirst() {
            if octet == UInt8(ascii: "%") {
                guard let high = hexadecimal(rest.popFirst()), let low = hexadecimal(rest.popFirst()) else {
                    throw malformed("a '%' is not followed by two hexadecimal digits")
                }
                decoded.append(high << 4 | low)
            } else {
                guard allowed.contains(octet) else { throw malformed("a character must be percent-encoded") }
                decoded.append(octet)
            }
        }
        return decoded
    }

    private static func hexadecimal(_ digit: UInt8?) -> UInt8? {
        digit.flatMap { Character(UnicodeScalar($0)).hexDigitValue }.map { UInt8($0) }
    }

    /// `unreserved` and `pk11-res-avail`, which path and query share.
    private static let allowed = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:[]@!$'()*+,=".utf8
    )

    static func malformed(_ what: String) -> KeyStoreError {
        KeyStoreError(.invalidURI, "the PKCS #11 URI cannot be used: \(what)")
    }
}
#endif
