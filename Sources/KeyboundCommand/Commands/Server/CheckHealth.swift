// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import OAuthCore
import OAuthTransport
import StrictJSON

/// `keybound health`.
enum CheckHealth: Command {
    private static let configuration = Option.value(
        "--config",
        letter: "c",
        "FILE",
        "the configuration file of the server or gateway, which says where it listens",
        default: "$KEYBOUND_CONFIG"
    )
    private static let standard = "http://127.0.0.1:8080"

    static let syntax = CommandSyntax(
        "health",
        "ask a running server or gateway whether it is ready",
        details: [
            "For the health check of a container. It sends GET /ready, and ends with 0 if the answer is 200. The address "
                + "may also be unix: and the path of a socket. With a configuration file, it asks at the address in that file: "
                + "listen, or metricsListen for a gateway and for a server on a socket of systemd."
        ],
        operands: [.optional("URL", "where it listens (default: what --config says, or \(standard))")],
        options: [configuration],
        examples: [
            .init("In a Containerfile", "HEALTHCHECK CMD [\"/usr/bin/keybound\", \"health\", \"\(standard)\"]"),
            .init("At the address in the configuration", "keybound health --config /etc/keybound/keybound.json"),
            .init("On a socket in the file system", "keybound health unix:/run/keybound/server.sock"),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        let target = try target(arguments)
        var configuration = CurlTransportConfiguration()
        configuration.timeout = .seconds(5)
        configuration.exchangeTimeout = .seconds(5)
        configuration.proxy = ""
        configuration.unixSocket = target.socket
        let response = try await answer(at: target, CurlTransport(configuration))
        guard response.status == 200 else {
            let reason = String(decoding: response.body, as: UTF8.self).droppingLineBreak
            throw CommandFailure(.unavailable, "not ready: \(response.status) \(SafeText.of(reason))")
        }
        console.print("ready")
    }

    private static func target(_ arguments: ParsedArguments) throws -> HealthTarget {
        let named = arguments.value(configuration)
        if let address = arguments.operand(0) {
            guard named == nil else {
                throw CommandFailure.usage("URL and --config exclude each other", hint: "give one of them")
            }
            return try HealthTarget(address)
        }
        guard let file = named ?? ProcessEnvironment.value("KEYBOUND_CONFIG") else { return try HealthTarget(standard) }
        // Once: standard input cannot be read again.
        let content = try InputFile.read(file)
        if let object = try? JSONValue(parsing: content).objectValue, object["apis"] != nil {
            return try HealthTarget(gateway: object, file: file)
        }
        return try HealthTarget(ServerSettings(arguments, optionsFor: [], content: content))
    }

    private static func answer(at target: HealthTarget, _ transport: CurlTransport) async throws -> HTTPResponse {
        do throws(OAuthCoreError) {
            return try await transport.send(HTTPRequest(target: target.origin + "/ready"), maximumBodySize: 4096)
        } catch {
            throw CommandFailure(.unavailable, "\(SafeText.of(target.name)): \(error.reason)")
        }
    }
}
#endif
