// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CPostgreSQL
import CPostgreSQLOnDemand
public import ServerStorage

/// The address of a database, as a URL of libpq (PostgreSQL 15, section 34.1.1.2), checked.
public struct PostgreSQLAddress: Sendable, Hashable, CustomStringConvertible {
    /// Whether a setting names a PostgreSQL database, and not a file.
    ///
    /// - Parameter text: The setting.
    /// - Returns: Whether it begins with `postgresql://` or `postgres://`.
    public static func isAddress(_ text: String) -> Bool {
        ["postgresql://", "postgres://"].contains { text.lowercased().hasPrefix($0) }
    }

    /// The URL.
    let url: String
    /// What libpq gets, in this order: later ones win.
    let options: [(String, String)]

    /// The URL; it never has a password.
    public var description: String { url }

    /// Two addresses are the same if their URLs are.
    ///
    /// - Parameters:
    ///   - left: One address.
    ///   - right: The other one.
    /// - Returns: Whether they are the same.
    public static func == (left: Self, right: Self) -> Bool { left.url == right.url }

    /// Hashes the URL.
    ///
    /// - Parameter hasher: The hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(url) }

    /// Checks an address.
    ///
    /// - Parameter url: `postgresql://user@host,host/database?option=value`, at most 2,048 bytes. A host that is neither
    ///   a socket nor a loopback address gets `sslmode=verify-full`, and no other mode is allowed there. A password
    ///   belongs into a password file (`passfile`, `PGPASSFILE`).
    /// - Throws: ``/ServerStorage/StorageError/Code/cannotOpen``; ``/ServerStorage/StorageError/Code/unavailable`` if libpq, which
    ///   reads the address, cannot be loaded.
    public init(_ url: String) throws(StorageError) {
        guard Self.isAddress(url), url.utf8.count <= 2048, !url.utf8.contains(0) else {
            throw Self.rejected("it is not a postgresql:// URL of at most 2,048 bytes")
        }
        if let problem = unsafe postgresql_load_problem() {
            let text = unsafe String(cString: problem)
            throw StorageError(.unavailable, "libpq cannot be loaded (\(text)): install the Debian package libpq5")
        }
        let given = try Self.parsed(url)
        guard given["password"] == nil else {
            throw Self.rejected("it has a password, which every process can see: use passfile or PGPASSFILE")
        }
        guard given["options"] == nil else { throw Self.rejected("it has options, which a pooler refuses") }
        var forced: [(String, String)] = []
        let hosts = ((given["hostaddr"] ?? given["host"]) ?? "").split(separator: ",", omittingEmptySubsequences: false)
        if !hosts.allSatisfy(Self.isLocal) {
            guard given["sslmode"].map({ $0 == "verify-full" }) ?? true else {
                throw Self.rejected("sslmode must be verify-full, or anybody on the way could answer for the database")
            }
            forced = [("sslmode", "verify-full"), ("ssl_min_protocol_version", "TLSv1.3")]
        }
        self.url = url
        options =
            [
                ("connect_timeout", "2"), ("tcp_user_timeout", "5000"), ("keepalives_idle", "5"),
                ("gssencmode", "disable"), ("target_session_attrs", "read-write"), ("application_name", "keybound"),
                ("dbname", url),
            ] + forced + [("client_encoding", "UTF8")]
    }

    private static func rejected(_ reason: String) -> StorageError {
        StorageError(.cannotOpen, "the address of the database cannot be used: \(reason)")
    }

    private static func isLocal(_ host: Substring) -> Bool {
        host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") || host == "localhost" || host == "::1"
            || (host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." })
    }

    /// The options that a URL gives, by their names.
    private static func parsed(_ url: String) throws(StorageError) -> [String: String] {
        guard let all = unsafe PQconninfoParse(url, nil) else { throw rejected("libpq cannot read it") }
        defer { unsafe PQconninfoFree(all) }
        var given: [String: String] = [:]
        var next = unsafe all
        while let keyword = unsafe next.pointee.keyword {
            if let value = unsafe next.pointee.val {
                unsafe given[String(cString: keyword)] = String(cString: value)
            }
            unsafe next += 1
        }
        return given
    }
}
#endif
