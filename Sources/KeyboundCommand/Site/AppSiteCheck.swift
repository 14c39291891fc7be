// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient
import OAuthCore
import OAuthTransport

/// Fetches the file in which a website names its apps, and reports what keeps them from receiving an https callback.
///
/// It is fetched from the website itself; Apple's devices get it from Apple's CDN, which may still have an older
/// version.
///
/// ## Specification
///
/// [Supporting associated domains](https://developer.apple.com/documentation/xcode/supporting-associated-domains)
struct AppSiteCheck: Sendable {
    /// More than Apple reads, so that the size of a file that is too large can be reported.
    private static let maximumFetchedSize = 1 << 20

    private let transport: any HTTPTransport
    private let policy: URLPolicy

    /// Makes a check.
    ///
    /// - Parameters:
    ///   - transport: How the file is fetched; it must not follow redirects.
    ///   - allowsInsecureHTTPOnLoopback: Whether http is accepted on `127.0.0.1` and `[::1]`: for tests and development.
    init(
        transport: any HTTPTransport = PlatformTransport(),
        allowsInsecureHTTPOnLoopback: Bool = false
    ) {
        self.transport = transport
        policy = URLPolicy(allowsInsecureHTTPOnLoopback: allowsInsecureHTTPOnLoopback)
    }

    /// Checks the file for a callback.
    ///
    /// - Parameters:
    ///   - apps: The apps that must get the callback.
    ///   - callback: The redirect URI.
    /// - Returns: The problems in the order in which they are found, none when all is well.
    /// - Throws: ``OAuthClientError/Code/invalidArgument`` for a callback that is no URL without fragment and user
    ///   information, ``OAuthClientError/Code/insecureURL``, ``OAuthClientError/Code/transportFailed``,
    ///   ``OAuthClientError/Code/cancelled``.
    func problems(
        for apps: [AppID],
        callback: String
    ) async throws(OAuthClientError) -> [AppSiteProblem] {
        let uri = try AppCallback(callback, policy).uri
        return try await problems(for: apps, at: uri, callback: uri)
    }

    /// Checks the file of a host for apps, whatever their callbacks.
    ///
    /// - Parameters:
    ///   - apps: The apps that must be named.
    ///   - host: The host, with or without a port.
    /// - Returns: The problems in the order in which they are found, none when all is well.
    /// - Throws: The codes of ``problems(for:callback:)``.
    func problems(for apps: [AppID], host: String) async throws(OAuthClientError) -> [AppSiteProblem] {
        guard let uri = try? URI(parsing: "https://\(host)/"), uri.path == "/", uri.userinfo == nil else {
            throw OAuthClientError(.invalidArgument, "this is not the name of a host")
        }
        return try await problems(for: apps, at: uri, callback: nil)
    }

    private func problems(
        for apps: [AppID],
        at uri: URI,
        callback: URI?
    ) async throws(OAuthClientError) -> [AppSiteProblem] {
        let response = try await fetch(from: uri)
        if let problem = Self.problem(ofStatus: response.status) { return [problem] }
        var problems: [AppSiteProblem] = []
        if !response.fields.hasMediaType("application/json") {
            problems.append(AppSiteProblem(.wrongContentType, "the content type is not application/json"))
        }
        if let problem = Self.problem(ofForm: response.body) { return problems + [problem] }
        let association: AppSiteAssociation
        do {
            association = try AppSiteAssociation(parsing: response.body)
        } catch {
            return problems + [AppSiteProblem(.malformed, error.reason)]
        }
        for app in apps { problems += association.problems(for: app, callback) }
        return problems
    }

    private func fetch(from uri: URI) async throws(OAuthClientError) -> HTTPResponse {
        guard let origin = uri.origin else {
            throw OAuthClientError(.invalidArgument, "the callback is not an https URL")
        }
        let request = HTTPRequest(
            method: "GET",
            target: origin + "/.well-known/apple-app-site-association",
            fields: ["Accept": "application/json"]
        )
        do {
            return try await transport.send(request, maximumBodySize: Self.maximumFetchedSize)
        } catch {
            throw OAuthClientError(transport: error)
        }
    }

    private static func problem(ofStatus status: Int) -> AppSiteProblem? {
        switch status {
        case 200: nil
        case 300..<400: AppSiteProblem(.redirected, "the URL returns a redirect, which Apple does not follow")
        default: AppSiteProblem(.unexpectedStatus, "the URL returns the status \(status)")
        }
    }

    private static func problem(ofForm body: [UInt8]) -> AppSiteProblem? {
        if body.count > AppSiteAssociation.maximumSize {
            return AppSiteProblem(.tooLarge, "the file has \(body.count) bytes, and Apple reads at most 128 KiB")
        }
        // A DER sequence, or PEM: no JSON begins so.
        if body.first == 0x30 || body.starts(with: "-----BEGIN".utf8) {
            return AppSiteProblem(.signed, "the file is signed, as before iOS 9; serve the JSON itself")
        }
        return nil
    }
}
