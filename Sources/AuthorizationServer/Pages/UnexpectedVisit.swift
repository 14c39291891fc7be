// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// What a browser gets that comes without an app: at the address of the server itself, at that of a form, and where nothing
/// is.
enum UnexpectedVisit {
    /// The page; `nil` for a program, which gets a text.
    static func response(to request: HTTPRequest, _ services: Services) -> HTTPResponse? {
        guard request.method == "GET" || request.method == "HEAD", acceptsHTML(request) else { return nil }
        let issuer = services.configuration.issuer
        if request.path == issuer.path || request.path == issuer.path + "/" {
            return page(.home(metadata: services.addresses.metadata.path), services)
        }
        if request.path == services.addresses.login.path { return page(.signInWithoutApp, services) }
        let kind = ErrorPage.Kind.notFound
        let notFound = ErrorPage(
            serverName: services.configuration.serverName,
            title: kind.title,
            explanation: kind.explanation,
            code: "not_found",
            hint: "The metadata of the server lists the addresses that it has.",
            requestID: RequestTrace.current?.id
        )
        return .page(notFound.html(), status: 404, services)
    }

    private static func page(_ outcome: NoticePage.Outcome, _ services: Services) -> HTTPResponse {
        .page(NoticePage(serverName: services.configuration.serverName, outcome: outcome).html(), services)
    }

    /// RFC 9110 section 12.5.1; browsers name the type, programs send `*/*` or nothing.
    private static func acceptsHTML(_ request: HTTPRequest) -> Bool {
        request.fields.values(for: "Accept").flatMap { $0.split(separator: ",") }.contains { range in
            let type = range.prefix { $0 != ";" }
            return ASCII.isSameIgnoringCase(String(type.filter { $0 != " " }), "text/html")
        }
    }
}
