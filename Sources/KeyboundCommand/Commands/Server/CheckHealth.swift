// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import OAuthCore
import OAuthTransport

/// `keybound health`.
enum CheckHealth: Command {
    static let syntax = CommandSyntax(
        "health",
        "ask a running server or gateway whether it is ready",
        details: [
            "For the health check of a container. It sends GET /ready, and ends with 0 if the answer is 200."
        ],
        operands: [.optional("URL", "where it listens (default: http://127.0.0.1:8080)")],
        examples: [.init("In a Containerfile", "HEALTHCHECK CMD [\"/usr/bin/keybound\", \"health\"]")]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let address = arguments.operand(0) ?? "http://127.0.0.1:8080"
        guard let origin = (try? URI(parsing: address))?.origin else {
            throw CommandFailure.usage("URL is not an address", hint: "write http://127.0.0.1:8080")
        }
        var configuration = CurlTransportConfiguration()
        configuration.timeout = .seconds(5)
        configuration.exchangeTimeout = .seconds(5)
        configuration.proxy = ""
        let response = try await answer(at: origin, CurlTransport(configuration))
        guard response.status == 200 else {
            let reason = String(decoding: response.body, as: UTF8.self).droppingLineBreak
            throw CommandFailure(.unavailable, "not ready: \(response.status) \(SafeText.of(reason))")
        }
        console.print("ready")
    }

    private static func answer(at origin: String, _ transport: CurlTransport) async throws -> HTTPResponse {
        do throws(OAuthCoreError) {
            return try await transport.send(HTTPRequest(target: origin + "/ready"), maximumBodySize: 4096)
        } catch {
            throw CommandFailure(.unavailable, "\(SafeText.of(origin)): \(error.reason)")
        }
    }
}
#endif
