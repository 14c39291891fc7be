// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient
import StrictJSON

/// The file in which a website names its apps: `/.well-known/apple-app-site-association`.
///
/// From iOS 17.4 and macOS 14.4 on `ASWebAuthenticationSession` hands an https callback to an app only when the file of the
/// callback's host names the app under `webcredentials`; a link that is opened outside such a session takes `applinks`, with
/// a pattern that the callback matches. ``init(apps:callback:)`` writes both.
///
/// ## Specification
///
/// [Supporting associated domains](https://developer.apple.com/documentation/xcode/supporting-associated-domains)
struct AppSiteAssociation: Sendable, Hashable {
    /// The largest file that Apple reads, in bytes.
    static let maximumSize = 131_072

    /// The content of the file.
    let json: JSONObject
    private let rules: [AppLinkRule]
    private let webCredentials: [String]

    /// Writes the file for an https callback.
    ///
    /// - Parameters:
    ///   - apps: The apps that get the callback.
    ///   - callback: The redirect URI; its path is matched exactly, with any query.
    /// - Throws: ``OAuthClientError/Code/invalidArgument`` without an app, or when the callback is no URL without query,
    ///   fragment and user information; ``OAuthClientError/Code/insecureURL``.
    init(apps: [AppID], callback: String) throws(OAuthClientError) {
        let uri = try AppCallback(callback, URLPolicy(allowsInsecureHTTPOnLoopback: false)).uri
        guard !apps.isEmpty else { throw OAuthClientError(.invalidArgument, "there is no app to name") }
        guard uri.query == nil else {
            throw OAuthClientError(
                .invalidArgument,
                "the callback has a query, but the query comes from the response "
                    + "of the server"
            )
        }
        let names = JSONValue.strings(apps.map(\.description))
        let path = uri.path.isEmpty ? "/" : uri.path
        guard AppLinkPattern.isLiteral(path) else {
            throw OAuthClientError(.invalidArgument, "the path of the callback has a '*' or '$(', which is a pattern")
        }
        try self.init(
            parsing: [
                "applinks": ["details": [["appIDs": names, "components": [["/": .string(path)]]]]],
                "webcredentials": ["apps": names],
            ]
        )
    }

    /// Reads a file.
    ///
    /// - Parameter bytes: The file.
    /// - Throws: ``OAuthClientError/Code/malformedResponse`` when it is larger than ``maximumSize``, signed, or not of the form
    ///   that Apple documents.
    init(parsing bytes: [UInt8]) throws(OAuthClientError) {
        guard bytes.count <= Self.maximumSize else {
            throw OAuthClientError(
                .malformedResponse,
                "the file has \(bytes.count) bytes, and Apple reads at most 128 "
                    + "KiB"
            )
        }
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes, limits: JSONLimits(maximumSize: Self.maximumSize))
        } catch {
            throw OAuthClientError(.malformedResponse, "the file is not JSON: \(error.reason)", underlying: error)
        }
        guard let object = value.objectValue else {
            throw OAuthClientError(.malformedResponse, "the file is not a JSON object")
        }
        try self.init(parsing: object)
    }

    private init(parsing object: JSONObject) throws(OAuthClientError) {
        json = object
        webCredentials = try AppLinkReader.apps(ofService: "webcredentials", in: object)
        rules = try AppLinkReader.rules(in: object)
    }

    /// Finds out what keeps an app from receiving an https callback.
    ///
    /// Patterns are tried in the order of the file, and the first that matches decides, also when it is one of another app.
    /// `$(lang)` and `$(region)` match every text of the form of such a code.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - callback: The redirect URI, checked with the query of a successful response and of an error response; with
    ///     `nil`, only whether the file names the app is checked.
    /// - Returns: The problems; empty if there are none.
    /// - Throws: ``OAuthClientError/Code/invalidArgument`` and ``OAuthClientError/Code/insecureURL`` for a callback that is no
    ///   https URL without fragment.
    func problems(for app: AppID, callback: String?) throws(OAuthClientError) -> [AppSiteProblem] {
        var callbackURI: URI?
        if let callback {
            callbackURI = try AppCallback(callback, URLPolicy(allowsInsecureHTTPOnLoopback: false)).uri
        }
        return problems(for: app, callbackURI)
    }

    func problems(for app: AppID, _ callback: URI?) -> [AppSiteProblem] {
        var problems: [AppSiteProblem] = []
        if !webCredentials.contains(app.description) {
            problems.append(
                AppSiteProblem(
                    .appNotInWebCredentials,
                    "\(app) is not in webcredentials.apps, which https callbacks need"
                )
            )
        }
        if !rules.contains(where: { $0.apps.contains(app.description) }) {
            problems.append(AppSiteProblem(.appNotInAppLinks, "\(app) is not in applinks.details"))
        } else if let problem = callback.flatMap({ linkProblem(for: app, $0) }) {
            problems.append(problem)
        }
        return problems
    }

    private func linkProblem(for app: AppID, _ callback: URI) -> AppSiteProblem? {
        for query in AppCallback.answers(to: callback) {
            let answer = "the callback with \(query.kind)"
            guard let rule = rules.first(where: { $0.matches(path: callback.path, query: query.text) }) else {
                return AppSiteProblem(.callbackNotMatched, "no pattern of applinks matches \(answer)")
            }
            guard rule.apps.contains(app.description) else {
                return AppSiteProblem(
                    .callbackOfAnotherApp,
                    "the first pattern that matches \(answer) is not one of \(app)"
                )
            }
            if rule.excludes {
                return AppSiteProblem(.callbackExcluded, "the first pattern that matches \(answer) excludes it")
            }
        }
        return nil
    }
}
