// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage

/// The URI of a request without query and fragment: normalized to be compared, and as a client writes it into `htu`.
///
/// Two spellings of one URI are equal (RFC 9449 section 4.3, check 9; RFC 3986 sections 6.2.2 and 6.2.3).
public struct TargetURI: Sendable, Hashable, CustomStringConvertible {
    /// The normalized text, by which URIs are compared.
    public let description: String
    /// ``htu``, if it differs from the normalized text.
    private let sent: String?

    /// The URI as it is sent, for the proof of a request (RFC 9449 section 4.2).
    ///
    /// Scheme and host are normalized and the scheme's own port is left out, as in the `Host` field. The path stays as it
    /// is written: its percent-encodings and dot segments are those of the request line; an empty path is `/`. Servers
    /// that only compare texts accept no other `htu`, and servers that normalize both texts accept this one too.
    public var htu: String { sent ?? description }

    /// Reads a URI.
    ///
    /// - Parameter uri: An absolute http or https URI with a host and without user information; query and fragment are
    ///   dropped.
    /// - Throws: ``DPoPError`` – ``DPoPError/Code/invalidTargetURI``.
    public init(_ uri: URI) throws(DPoPError) {
        let normalized: URI
        do {
            normalized = try uri.normalized()
        } catch {
            throw DPoPError(.invalidTargetURI, "the URI cannot be normalised", underlying: error)
        }
        guard let origin = normalized.origin else {
            throw DPoPError(.invalidTargetURI, "the URI is not http or https with a host")
        }
        guard normalized.userinfo == nil else {
            throw DPoPError(.invalidTargetURI, "the URI holds user information")
        }
        // A resolver could read an empty first segment as an authority.
        guard !normalized.path.utf8.starts(with: "//".utf8) else {
            throw DPoPError(.invalidTargetURI, "the path of the URI starts with two slashes")
        }
        description = origin + normalized.path
        // RFC 9110 section 4.2.3: an empty path is sent as "/".
        let path = uri.path.isEmpty ? "/" : uri.path
        sent = path == normalized.path ? nil : origin + path
    }

    /// Parses a URI.
    ///
    /// - Parameter text: An absolute http or https URI, at most 8 KiB of ASCII.
    /// - Throws: ``DPoPError`` – ``DPoPError/Code/invalidTargetURI``.
    public init(parsing text: String) throws(DPoPError) {
        if let prefix = NormalizedTargetURI.prefix(of: text) {
            self.init(normalized: prefix)
            return
        }
        let uri: URI
        do {
            uri = try URI(parsing: text)
        } catch {
            throw DPoPError(.invalidTargetURI, "the text is not an absolute URI", underlying: error)
        }
        try self.init(uri)
    }

    private init(normalized text: String) {
        description = text
        sent = nil
    }

    /// Whether two URIs are the same resource, however each is written.
    public static func == (left: TargetURI, right: TargetURI) -> Bool {
        left.description == right.description
    }

    /// Hashes the normalized text.
    ///
    /// - Parameter hasher: The hasher to use.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(description)
    }
}
