// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage

/// The locations of the metadata of an issuer or an API.
public enum WellKnownURI {
    /// The location of the metadata by RFC 8414 section 3.1: inserted between host and path.
    ///
    /// - Parameter issuer: The issuer, without query and fragment.
    /// - Returns: For `https://example.com/a`: `https://example.com/.well-known/oauth-authorization-server/a`.
    /// - Throws: ``OAuthCoreError/Code/malformedIssuer``.
    public static func authorizationServerMetadata(of issuer: URI) throws(OAuthCoreError) -> URI {
        let (root, path) = try split(issuer)
        return try parse(root + "/.well-known/oauth-authorization-server" + path)
    }

    /// The location of the metadata by OpenID Connect Discovery section 4.1: appended to the path.
    ///
    /// - Parameter issuer: The issuer, without query and fragment.
    /// - Returns: For `https://example.com/a`: `https://example.com/a/.well-known/openid-configuration`.
    /// - Throws: ``OAuthCoreError/Code/malformedIssuer``.
    public static func openIDConfiguration(of issuer: URI) throws(OAuthCoreError) -> URI {
        let (root, path) = try split(issuer)
        return try parse(root + path + "/.well-known/openid-configuration")
    }

    /// The location of the metadata of OpenID Connect where RFC 8414 section 5 puts it: inserted between host and path.
    ///
    /// - Parameter issuer: The issuer, without query and fragment.
    /// - Returns: For `https://example.com/a`: `https://example.com/.well-known/openid-configuration/a`.
    /// - Throws: ``OAuthCoreError/Code/malformedIssuer``.
    public static func insertedOpenIDConfiguration(of issuer: URI) throws(OAuthCoreError) -> URI {
        let (root, path) = try split(issuer)
        return try parse(root + "/.well-known/openid-configuration" + path)
    }

    /// Where the metadata of an issuer may be, in the order of the newest specifications.
    ///
    /// That is inserted for OAuth, inserted for OpenID Connect, appended; the last two are one for an issuer without a
    /// path.
    ///
    /// - Parameter issuer: The issuer, without query and fragment.
    /// - Returns: Two or three locations.
    /// - Throws: ``OAuthCoreError/Code/malformedIssuer``.
    public static func metadataLocations(of issuer: URI) throws(OAuthCoreError) -> [URI] {
        let appended = try openIDConfiguration(of: issuer)
        let inserted = try insertedOpenIDConfiguration(of: issuer)
        let oauth = try authorizationServerMetadata(of: issuer)
        return inserted == appended ? [oauth, appended] : [oauth, inserted, appended]
    }

    /// The location of the metadata of an API by RFC 9728 section 3.1: inserted between host and path.
    ///
    /// - Parameter resource: The identifier of the API, without fragment.
    /// - Returns: For `https://example.com/a?b`: `https://example.com/.well-known/oauth-protected-resource/a?b`.
    /// - Throws: ``OAuthCoreError/Code/malformedIssuer``.
    public static func protectedResourceMetadata(of resource: URI) throws(OAuthCoreError) -> URI {
        guard let host = resource.host, resource.userinfo == nil, resource.fragment == nil else {
            throw OAuthCoreError(
                .malformedIssuer,
                "an API is a URI with a host and without user information and fragment (RFC 9728 section 1.2)"
            )
        }
        let port = resource.port.map { ":\($0)" } ?? ""
        // Only the slash after the host is removed: one at the end of a path is part of the identifier.
        let path = resource.path == "/" ? "" : resource.path
        let query = resource.query.map { "?" + $0 } ?? ""
        return try parse(
            resource.scheme + "://" + host + port + "/.well-known/oauth-protected-resource" + path + query
        )
    }

    /// Scheme and authority, and the path without a trailing slash.
    private static func split(_ issuer: URI) throws(OAuthCoreError) -> (root: String, path: String) {
        guard let host = issuer.host, issuer.userinfo == nil, issuer.query == nil, issuer.fragment == nil else {
            throw OAuthCoreError(
                .malformedIssuer,
                "an issuer is a URI with a host and without user information, query and fragment (RFC 8414 section 2)"
            )
        }
        let port = issuer.port.map { ":\($0)" } ?? ""
        let path = issuer.path.hasSuffix("/") ? String(issuer.path.dropLast()) : issuer.path
        return (issuer.scheme + "://" + host + port, path)
    }

    private static func parse(_ text: String) throws(OAuthCoreError) -> URI {
        do {
            return try URI(parsing: text)
        } catch {
            throw OAuthCoreError(.malformedIssuer, "no address can be made from the issuer", underlying: error)
        }
    }
}
