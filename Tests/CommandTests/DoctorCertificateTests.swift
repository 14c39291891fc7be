// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import OAuthSystem
import OAuthTransport
import StrictJSON
import TestSupport
import Testing

@testable import KeyboundCommand

/// The certificate that clients of the issuer get, from real handshakes.
@Suite("keybound doctor: the certificate")
struct DoctorCertificateTests {
    /// What the check finds at a server.
    private func findings(
        at server: PythonServer,
        trusting authorities: String,
        // A minute, so that the last day has begun.
        after time: Duration = .seconds(60)
    ) async throws -> [DoctorFinding] {
        var arguments = ParsedArguments(RunDoctor.syntax)
        let directory = try TemporaryDirectory()
        try directory.write(#"{"issuer": "\#(server.base)"}"#, to: "keybound.json")
        arguments.add(ServerSettings.configuration, directory.path + "/keybound.json")
        var configuration = CurlTransportConfiguration()
        configuration.certificateAuthorityFile = authorities
        configuration.proxy = ""
        let transport = CurlTransport(configuration)
        let context = DoctorContext(
            settings: try ServerSettings(arguments, optionsFor: Setting.storage),
            configurationFile: nil,
            machine: ThisMachine(),
            transport: transport,
            certificates: { try await transport.presentedCertificates(at: $0) },
            clock: FixedClock(secondsSince1970: (SystemWallClock().now() + time).secondsSince1970)
        )
        return await DoctorCheck.certificate.findings(context)
    }

    @Test func `a certificate with 200 days left`() async throws {
        let server = try await PythonServer(.tls, days: 200)
        let findings = try await findings(at: server, trusting: server.authorityFile)
        #expect(findings.map(\.severity) == [.good, .good, .good])
        #expect(findings.first?.text.contains("expires in 199 days, 20") == true)
        #expect(findings.dropFirst().first?.text == "the certificate is for 127.0.0.1")
        #expect(findings.last?.text.hasSuffix("1 sent, issued by CN=Test authority") == true)
        #expect(server.events.isEmpty, "no request is sent")
    }

    @Test(arguments: [(5, "4 days"), (2, "1 day,"), (1, "0 days")])
    func `a certificate that ends soon is a warning`(days: Int, text: String) async throws {
        let server = try await PythonServer(.tls, days: days)
        let findings = try await findings(at: server, trusting: server.authorityFile)
        #expect(findings.map(\.severity) == [.warning, .good, .good])
        #expect(findings.first?.text.contains("expires in \(text)") == true)
    }

    @Test func `13 days are a warning, 14 are not`() async throws {
        let server = try await PythonServer(.tls, days: 14)
        let early = try await findings(at: server, trusting: server.authorityFile, after: .seconds(-60))
        #expect(early.first?.text.contains("not valid before") == true, "it was made after that time")
        #expect(early.map(\.severity) == [.failure, .good, .good])
        let short = try await findings(at: server, trusting: server.authorityFile)
        #expect(short.map(\.severity) == [.warning, .good, .good])
        let longer = try await PythonServer(.tls, days: 15)
        let enough = try await self.findings(at: longer, trusting: longer.authorityFile)
        #expect(enough.map(\.severity) == [.good, .good, .good])
    }

    @Test func `an expired certificate is a failure that says since when`() async throws {
        let server = try await PythonServer(.tls, days: -1)
        let findings = try await findings(at: server, trusting: server.authorityFile)
        #expect(findings.map(\.severity) == [.failure, .good], "its authority is known")
        #expect(findings.first?.text.contains("expired: 20") == true)
        #expect(findings.first?.text.hasSuffix("1 day ago") == true || findings.first?.text.contains("1 day ") == true)
    }

    @Test func `a certificate for another name is a failure that says for which`() async throws {
        let server = try await PythonServer(.otherName, days: 200)
        let findings = try await findings(at: server, trusting: server.authorityFile)
        #expect(findings.map(\.severity) == [.good, .failure, .good])
        #expect(
            findings.dropFirst().first?.text == "the certificate is not for 127.0.0.1: it is for other.example"
        )
    }

    @Test func `a certificate of an unknown authority is a failure that names it`() async throws {
        let server = try await PythonServer(.tls, days: 200)
        let other = try await PythonServer(.tls)
        let findings = try await findings(at: server, trusting: other.authorityFile)
        #expect(findings.map(\.severity) == [.good, .good, .failure])
        #expect(findings.last?.text.contains("issued by CN=Test authority") == true)
        #expect(findings.last?.text.contains("the certificate is not trusted: ") == true)
        let expired = try await PythonServer(.tls, days: -1)
        let both = try await self.findings(at: expired, trusting: other.authorityFile)
        #expect(both.map(\.severity) == [.failure, .good, .failure], "one fault does not hide the other")
    }

    @Test func `the command says what is wrong with the certificate, beside that clients cannot connect`() async throws
    {
        let server = try await PythonServer(.otherName, days: 5)
        let directory = try TemporaryDirectory()
        try directory.write(
            #"{"issuer": "\#(server.base)", "dataDirectory": "\#(directory.path)/data"}"#,
            to: "keybound.json"
        )
        let result = try await KeyboundProcess.run(
            ["doctor", "--config", "keybound.json", "--json"],
            in: directory,
            environment: ["SSL_CERT_FILE": server.authorityFile, "no_proxy": "*"]
        )
        let rows = try JSONValue(parsing: Array(result.output.utf8)).arrayValue?.compactMap(\.objectValue) ?? []
        func severities(_ check: String) -> [String?] {
            rows.filter { $0["check"]?.stringValue == check }.map { $0["severity"]?.stringValue }
        }
        #expect(severities("issuer") == ["fail"], "a certificate for another name is trusted by nobody")
        #expect(severities("certificate") == ["warning", "fail", "ok"])
        #expect(server.events.isEmpty, "nothing is sent to a server that is not trusted")
        #expect(result.status == 1)
    }
}
#endif
