// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage

/// The URI of a request as in `htu`: without query and fragment, and normalized.
///
/// Two spellings of one URI are equal (RFC 9449 section 4.3, check 9; RFC 3986 sections 6.2.2 and 6.2.3).
public struct TargetURI: Sendable, Hashable, CustomStringConvertible {
    /// The normalized text, which a client sends as `htu`.
    public let description: String

    /// Normalizes a URI.
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
    }

    /// Parses and normalizes a URI.
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
    }
}
