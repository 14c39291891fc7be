// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import HTTPServer
import StrictJSON

/// `keybound gateway`.
enum RunGateway: Command {
    private static let configuration = Option.value("--config", letter: "c", "FILE", "the configuration file")
    private static let checkOnly = Option.flag("--check", "check the configuration and exit")

    static let syntax = CommandSyntax(
        "gateway",
        "decide for a reverse proxy which requests may reach an API",
        details: [
            "nginx, Caddy, HAProxy, Envoy and Traefik ask the gateway about each request before they forward it. It "
                + "checks the access token and the DPoP proof, applies the rules of the configuration file, and tells "
                + "the API who sent the request, in fields that begin with X-Keybound-. The API may be written in any "
                + "language. docs/gateway.md describes the file and the fields.",
            "On SIGHUP it reads rules and secrets again; a file with an error changes nothing. On SIGTERM or Ctrl-C it "
                + "finishes the check requests in progress.",
        ],
        options: [configuration, checkOnly, .json],
        examples: [
            .init("Run it", "keybound gateway --config /etc/keybound/gateway.json"),
            .init("Look for rules that never apply", "keybound gateway --config gateway.json --check"),
        ]
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws {
        guard let file = arguments.value(configuration) else {
            throw CommandFailure.usage("--config is missing", hint: "docs/gateway.md shows a configuration file")
        }
        let settings = try GatewaySettings(file: file)
        if arguments.has(checkOnly) { return try check(settings, arguments, console) }
        TerminationSignals.install()
        DescriptorLimit.raise()
        let log = ServerLog(format: settings.logFormat, level: settings.logLevel)
        let gateway = try await RunningGateway.start(file: file, settings: settings, log: log)
        HangupSignal.handle { gateway.reload() }
        try describe(gateway, settings, arguments, console)
        let manager = ServiceManager()
        manager.tell(.ready)
        let watchdog = Watchdog.start(manager)
        guard let signal = await TerminationSignals.next() else {
            throw CommandFailure(.unavailable, "cannot wait for signals")
        }
        manager.tell(.stopping)
        watchdog?.cancel()
        log.notice("\(signal): finishing the check requests in progress")
        await gateway.stop(draining: settings.drainTimeout)
    }

    private static func check(_ settings: GatewaySettings, _ arguments: ParsedArguments, _ console: Console) throws {
        let builder = GatewayBuilder(settings)
        _ = try builder.engine(settings, builder.issuers) { _ in }
        let findings = try settings.apis.flatMap { api in
            try GatewayBuilder.findings(api, settings, builder).map { "\(api.address): \($0)" }
        }
        if arguments.has(.json) {
            console.printJSON(["valid": true, "findings": .strings(findings)])
        } else {
            for finding in findings { console.print("warning: \(SafeText.of(finding))") }
            console.print("the configuration is valid")
        }
    }

    private static func describe(
        _ gateway: RunningGateway,
        _ settings: GatewaySettings,
        _ arguments: ParsedArguments,
        _ console: Console
    ) throws {
        let address = try gateway.address(settings)
        if arguments.has(.json) {
            var facts: JSONObject = ["issuer": .string(settings.issuer.name), "address": .string(address)]
            if settings.listsIssuers { facts["issuers"] = .strings(settings.issuers.map(\.name)) }
            facts["metrics_port"] = gateway.metricsPort.map { .number(JSONNumber(Int64($0))) }
            console.printJSON(.object(facts))
            return
        }
        for issuer in settings.issuers { console.print("issuer     \(SafeText.of(issuer.name))") }
        for api in settings.apis { console.print("protects   \(SafeText.of(api.address.description))") }
        if let port = gateway.metricsPort { console.print("metrics    port \(port)") }
        console.print("listening  \(SafeText.of(address))")
    }
}
#endif
