// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import TestSupport
import Testing

@Suite("keybound doctor: a machine of clients")
struct DoctorClientTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// None of these names a server: some are for clients, and one is set by Kubernetes.
    @Test(arguments: [
        "KEYBOUND_TPM", "KEYBOUND_KEY_CREDENTIAL_FILE", "KEYBOUND_DATA_DIRECTORY", "KEYBOUND_SERVICE_HOST",
    ])
    func `a client's machine with variables has no server`(variable: String) async throws {
        let result = try await KeyboundProcess.run(["doctor"], in: directory, environment: [variable: "/nowhere"])
        #expect(result.status == 0, Comment(rawValue: result.output + result.errors))
        #expect(result.output.contains("no server was checked"))
        #expect(result.output.contains("$\(variable) is set") == (variable == "KEYBOUND_DATA_DIRECTORY"))
        #expect(!result.output.contains("database  ") && !result.output.contains("files may be open"))
    }

    @Test func `a misspelled variable is a warning, and the issuer names a server`() async throws {
        let misspelled = try await KeyboundProcess.run(
            ["doctor"],
            in: directory,
            environment: ["KEYBOUND_ISUER": "https://auth.example.com"]
        )
        #expect(misspelled.status == 0)
        #expect(misspelled.output.contains("$KEYBOUND_ISUER is not a setting"))
        #expect(misspelled.output.contains("did you mean $KEYBOUND_ISSUER?"))
        let named = try await KeyboundProcess.run(
            ["doctor"],
            in: directory,
            environment: [
                "KEYBOUND_ISSUER": "http://127.0.0.1:\(FreePort.next())",
                "KEYBOUND_DATA_DIRECTORY": directory.path + "/data",
            ]
        )
        #expect(named.status == 1)
        #expect(named.output.contains("clients cannot reach"))
    }
}
#endif
