// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthClient
import OAuthCore
import OAuthTransport
import Synchronization

/// A headless browser: opens a page, fills in its form as a user would, and follows redirects.
///
/// It knows the pages only by their HTML. The last step is the request to the app's loopback address.
final class HeadlessBrowser: BrowserLauncher {
    private struct Visit {
        var url: String
        var form: FormParameters?
    }

    private let answers: [String: String]
    private let decision: String
    private let transcript: Transcript
    private let transport: any HTTPTransport
    private let cookies = Mutex<[String: String]>([:])
    private let shown = Mutex("")

    /// The current address, even of a page that did not load.
    var address: String { shown.withLock { $0 } }

    /// Makes a walker that types `answers` into the fields of these names, and presses the button of `decision`.
    init(
        answers: [String: String],
        decision: String = "allow",
        transcript: Transcript,
        transport: any HTTPTransport = PlatformTransport()
    ) {
        self.transport = transport
        self.answers = answers
        self.decision = decision
        self.transcript = transcript
    }

    func open(_ url: String) async throws(OAuthClientError) {
        var visit = Visit(url: url)
        for _ in 0..<10 {
            let response: HTTPResponse
            do {
                response = try await load(visit)
            } catch {
                throw OAuthClientError(
                    .browserUnavailable,
                    "a page did not load: \(error.reason)",
                    underlying: error
                )
            }
            if (300..<400).contains(response.status), let location = response.fields["Location"] {
                visit = Visit(url: Self.resolve(location, from: visit.url))
            } else if let form = HTMLForm(in: String(decoding: response.body, as: UTF8.self)) {
                transcript.note("The page “\(form.title)” is shown; the user fills it in.")
                visit = Visit(url: Self.resolve(form.action, from: visit.url), form: filled(form))
            } else {
                return
            }
        }
        throw OAuthClientError(.browserUnavailable, "the pages do not end")
    }

    private func load(_ visit: Visit) async throws(OAuthCoreError) -> HTTPResponse {
        shown.withLock { $0 = visit.url }
        var request = HTTPRequest(target: visit.url)
        let jar = cookies.withLock { $0 }
        if !jar.isEmpty { request.fields["Cookie"] = jar.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") }
        if let form = visit.form {
            request.method = "POST"
            request.fields["Content-Type"] = FormParameters.mediaType
            request.fields["Origin"] = (try? URI(parsing: visit.url))?.origin
            request.body = Array(form.encoded().utf8)
        }
        transcript.sent(ExchangeDescription.line(of: request) + "   (browser)")
        let response = try await transport.send(request, maximumBodySize: 262_144)
        transcript.received(ExchangeDescription.line(of: response), isRejection: response.status >= 400)
        keepCookies(of: response)
        return response
    }

    private func keepCookies(of response: HTTPResponse) {
        for field in response.fields.values(for: "Set-Cookie") {
            let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { continue }
            cookies.withLock { $0[String(pair[0])] = String(pair[1]) }
        }
    }

    private func filled(_ form: HTMLForm) -> FormParameters {
        var parameters = FormParameters()
        for input in form.inputs {
            parameters.append(input.name, answers[input.name] ?? input.value)
        }
        if form.buttons.contains("decision") { parameters.append("decision", decision) }
        return parameters
    }

    private static func resolve(_ location: String, from url: String) -> String {
        guard location.hasPrefix("/"), let origin = (try? URI(parsing: url))?.origin else { return location }
        return origin + location
    }
}
