// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCrypto
import OAuthSystem
import ServerStorage
import StrictJSON

/// The cookie of a browser in which accounts signed in before, so that guesses from elsewhere do not make their owners
/// wait there (NIST SP 800-63B section 5.2.2).
///
/// Its parts are separated by dots: 16 random bytes, then up to five entries of 40 bytes, all in base64url. An entry has
/// the time of a sign-in and a code over the random bytes, the time, the account and its password hash, with a secret of
/// the database. So nothing is stored, only this server can make one, it says nothing about other accounts, and it ends with
/// the password. A thief of the cookie gets no session, but a hundred guesses of the password, ten an hour
/// (``LoginLimiter``).
struct KnownBrowser: Sendable {
    private struct Entry {
        let time: Timestamp
        let code: [UInt8]
    }

    private static let idSize = 16
    private static let timeSize = 8
    private static let codeSize = 32
    private static let maximumEntries = 5
    /// Half a year.
    private static let lifetime: Duration = .seconds(180 * 86_400)

    /// The random bytes, in base64url: what failures are counted under.
    let id: String
    private let idBytes: [UInt8]
    private let entries: [Entry]

    private init(_ id: [UInt8], _ entries: [Entry]) {
        self.id = Base64URL.encode(id)
        idBytes = id
        self.entries = entries
    }

    /// The cookie of a request; `nil` if there is none, several, or one that the server did not make.
    init?(in request: HTTPRequest, _ services: Services) {
        guard let value = request.onlyCookie(named: Self.name(services)) else { return nil }
        let parts = value.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...(1 + Self.maximumEntries)).contains(parts.count), value.utf8.count < 512,
            let id = try? Base64URL.decode(String(parts[0])), id.count == Self.idSize
        else { return nil }
        var entries: [Entry] = []
        for part in parts.dropFirst() {
            guard let bytes = try? Base64URL.decode(String(part)), bytes.count == Self.timeSize + Self.codeSize else {
                return nil
            }
            let seconds = bytes.prefix(Self.timeSize).reduce(Int64(0)) { $0 << 8 | Int64($1) }
            entries.append(
                Entry(time: Timestamp(secondsSince1970: seconds), code: Array(bytes.dropFirst(Self.timeSize)))
            )
        }
        self.init(id, entries)
    }

    /// Whether an account signed in in this browser within half a year, and has the same password still.
    func knows(_ user: UserAccount, _ key: HMACSHA256Key, at now: Timestamp) -> Bool {
        var isKnown = false
        // All are compared, whichever fits.
        for entry in entries where now < entry.time + Self.lifetime {
            let code = Self.code(idBytes, entry.time, user, key)
            isKnown = ConstantTime.areEqual(code, entry.code) || isKnown
        }
        return isKnown
    }

    /// The cookie after a sign-in: that of the browser, or a new one, with an entry for the account in the first place.
    static func after(
        _ previous: KnownBrowser?,
        signInOf user: UserAccount,
        _ key: HMACSHA256Key,
        at now: Timestamp,
        _ entropy: any Entropy
    ) -> KnownBrowser {
        let id = previous?.idBytes ?? entropy.bytes(idSize)
        let time = Timestamp(secondsSince1970: now.secondsSince1970)
        let others = (previous?.entries ?? []).filter { entry in
            !ConstantTime.areEqual(code(id, entry.time, user, key), entry.code)
        }
        let entry = Entry(time: time, code: code(id, time, user, key))
        return KnownBrowser(id, Array(([entry] + others).prefix(maximumEntries)))
    }

    /// The `Set-Cookie` field.
    func setCookie(_ services: Services) -> String {
        let parts = entries.map { entry in Base64URL.encode(Self.bytes(of: entry.time) + entry.code) }
        let value = ([id] + parts).joined(separator: ".")
        return "\(Self.name(services))=\(value); Max-Age=\(Self.lifetime / .seconds(1)); \(services.cookieAttributes)"
    }

    private static func code(
        _ id: [UInt8],
        _ time: Timestamp,
        _ user: UserAccount,
        _ key: HMACSHA256Key
    ) -> [UInt8] {
        let password = SecretHash(of: user.passwordHash.encoded)
        let message = id + bytes(of: time) + password.bytes + Array(user.subject.utf8)
        return key.authenticationCode(for: message).bytes
    }

    private static func bytes(of time: Timestamp) -> [UInt8] {
        let seconds = UInt64(bitPattern: time.secondsSince1970)
        return (0..<timeSize).map { UInt8(truncatingIfNeeded: seconds >> (8 * UInt64(timeSize - 1 - $0))) }
    }

    private static func name(_ services: Services) -> String {
        BrowserCookie.name(services) + "-known"
    }
}

extension Services {
    /// The key of ``KnownBrowser``, the same for all servers that share a database.
    func knownBrowserKey() async throws(ProtocolFailure) -> HMACSHA256Key {
        do {
            return try await shards.key(in: storage, entropy).derived(for: "known browser")
        } catch {
            report("storage failed: \(error)")
            throw .unavailable
        }
    }
}
