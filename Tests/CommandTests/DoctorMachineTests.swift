// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import OAuthCore
import OAuthSystem
import TestSupport
import Testing

@testable import KeyboundCommand

/// Faults of a machine that a test cannot make for real.
@Suite("keybound doctor: the machine")
struct DoctorMachineTests {
    struct Machine: MachineFacts {
        var user: UInt32 = 1000
        var descriptors = 1 << 20
        var isClockSynchronized: Bool? = true
        var free = 1 << 40
        var remote = false
        var missing: [String] = []

        func freeSpace(at path: String) -> Int? { free }
        func isRemote(_ path: String) -> Bool? { remote }
        func canLoad(_ library: String) -> Bool { !missing.contains(library) }
    }

    /// Answers like the issuer, with fields of its own.
    struct Issuer: HTTPTransport {
        let fields: HTTPFields

        func send(_ request: HTTPRequest, maximumBodySize: Int) async throws(OAuthCoreError) -> HTTPResponse {
            HTTPResponse(status: 200, fields: fields, body: Array(#"{"issuer":"https://auth.example.com"}"#.utf8))
        }
    }

    private func context(
        _ machine: Machine,
        database: String? = nil,
        _ fields: HTTPFields = [:]
    ) throws -> DoctorContext {
        var arguments = ParsedArguments(Serve.syntax)
        arguments.add(Setting.issuer.option, "https://auth.example.com")
        if let database { arguments.add(Setting.database.option, database) }
        return DoctorContext(
            settings: try ServerSettings(arguments, optionsFor: Setting.all),
            configurationFile: nil,
            machine: machine,
            transport: Issuer(fields: fields),
            certificates: { _ in throw OAuthCoreError(.transportFailed, "no network") },
            clock: FixedClock(secondsSince1970: 784_111_777)
        )
    }

    private func severities(_ check: DoctorCheck, _ context: DoctorContext) async -> [DoctorFinding.Severity] {
        await check.findings(context).map(\.severity)
    }

    @Test func `a healthy machine`() async throws {
        let context = try context(Machine())
        for check in [DoctorCheck.descriptors, .user, .space, .synchronization, .libraries] {
            #expect(await severities(check, context).allSatisfy { $0 == .good }, "\(check.name)")
        }
    }

    @Test func `few descriptors, root, and a clock that nothing keeps right`() async throws {
        #expect(await severities(.descriptors, try context(Machine(descriptors: 256))) == [.warning])
        #expect(await severities(.user, try context(Machine(user: 0))) == [.note])
        #expect(await severities(.synchronization, try context(Machine(isClockSynchronized: false))) == [.warning])
        #expect(await severities(.synchronization, try context(Machine(isClockSynchronized: nil))) == [.note])
    }

    /// The leeway of `JWTValidation`; proofs do not count, since their nonce dates them.
    @Test func `a clock that nothing keeps right costs tokens, from ten seconds on`() async throws {
        let context = try context(Machine(isClockSynchronized: false))
        let texts = await DoctorCheck.synchronization.findings(context).map(\.text)
        #expect(
            texts == [
                "the clock is not synchronized: if a server's is more than ten seconds off, APIs may reject its tokens"
            ]
        )
    }

    @Test(
        arguments: [("37", .good), ("41", .good), ("47", .warning), ("30", .warning)]
            as [(String, DoctorFinding.Severity)]
    )
    func `a clock that differs from the issuer's`(second: String, severity: DoctorFinding.Severity) async throws {
        let context = try context(Machine(), ["Date": "Sun, 06 Nov 1994 08:49:\(second) GMT"])
        #expect(await severities(.issuerClock, context) == [severity])
        let wrong = try self.context(Machine(), ["Date": "Sun, 06 Nov 1994 08:51:\(second) GMT"])
        #expect(await severities(.issuerClock, wrong) == [.failure])
    }

    @Test func `a proxy that takes Strict-Transport-Security away`() async throws {
        #expect(await severities(.issuer, try context(Machine())) == [.good, .warning])
        let complete = try context(Machine(), ["Strict-Transport-Security": "max-age=1"])
        #expect(await severities(.issuer, complete) == [.good])
    }

    @Test func `a full disk, and a disk of another machine`() async throws {
        #expect(await severities(.space, try context(Machine(free: 50 << 20))) == [.failure])
        #expect(await severities(.space, try context(Machine(free: 500 << 20))) == [.warning])
        #expect(await severities(.space, try context(Machine(remote: true))) == [.failure, .good])
        let shared = try context(Machine(remote: true), database: "postgresql://localhost/keybound")
        #expect(await severities(.space, shared).isEmpty)
    }

    @Test func `libraries count by what is configured`() async throws {
        let machine = Machine(missing: ["libpq.so.5"])
        #expect(await severities(.libraries, try context(machine)).contains(.note))
        #expect(await !severities(.libraries, try context(machine)).contains(.failure))
        let shared = try context(machine, database: "postgresql://localhost/keybound")
        #expect(await severities(.libraries, shared).contains(.failure))
        #expect(await severities(.libraries, try context(Machine(missing: ["libcurl.so.4"]))).contains(.failure))
    }
}
#endif
