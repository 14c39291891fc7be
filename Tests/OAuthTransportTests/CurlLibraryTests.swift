// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import HTTPServer
import OAuthClient
import OAuthCore
import Synchronization
import Testing

@testable import OAuthTransport

@Suite("libcurl is loaded with the first request", .timeLimit(.minutes(1)))
struct CurlLibraryTests {
    private static let missing = "libcurl-that-nobody-has.so.4"
    private static let advice =
        "libcurl cannot be loaded: install the Debian package libcurl4, or what it is called on your system"

    private func transport(
        _ library: @escaping @Sendable () throws(OAuthCoreError) -> CurlLibrary
    ) -> CurlTransport {
        let configuration = CurlTransportConfiguration()
        return CurlTransport(configuration, CurlLoop(configuration, library: library))
    }

    private func failure(_ transport: CurlTransport, to url: String = "http://127.0.0.1:9/") async -> OAuthCoreError? {
        do throws(OAuthCoreError) {
            _ = try await transport.send(HTTPRequest(method: "GET", target: url), maximumBodySize: 100)
            return nil
        } catch {
            return error
        }
    }

    @Test func `without libcurl every request says what to install, and what the system says`() async {
        let transport = transport { () throws(OAuthCoreError) in try CurlLibrary(Self.missing) }
        let errors = await withTaskGroup { group in
            for _ in 0..<16 { group.addTask { await failure(transport) } }
            return await group.reduce(into: [OAuthCoreError?]()) { $0.append($1) }
        }
        #expect(errors.count == 16)
        for error in errors {
            #expect(error?.code == .transportFailed)
            #expect(error?.reason == Self.advice)
            #expect(error?.underlying.map { "\($0)" }?.contains(Self.missing) == true)
        }
    }

    @Test func `a request of the app says it too`() async throws {
        let transport = transport { () throws(OAuthCoreError) in try CurlLibrary(Self.missing) }
        let request = HTTPRequest(target: "http://127.0.0.1:9/")
        let error = await #expect(throws: OAuthCoreError.self) {
            try await transport.open(request, body: .inMemory, timeout: nil)
        }
        #expect(error?.code == .transportFailed)
        #expect(error?.description.contains("libcurl4") == true)
    }

    @Test func `a library without the functions, and one that is too old, are rejected`() {
        #expect { try CurlLibrary("libm.so.6") } throws: { ($0 as? OAuthCoreError)?.reason == Self.advice }
        #expect {
            try CurlLibrary("libcurl.so.4", leastVersion: 0x63_02_01)
        } throws: {
            ($0 as? OAuthCoreError)?.reason == "libcurl is too old: install 99.2.1 or later"
        }
    }

    @Test func `nothing is loaded before the first request, and what was not there is looked for again`() async throws {
        let listener = try HTTPListener(port: 0, threads: 1) { _ in HTTPResponse(status: 200, body: Array("ok".utf8)) }
        let times = Atomic(0)
        let transport = transport { () throws(OAuthCoreError) in
            let time = times.add(1, ordering: .relaxed).newValue
            return try time == 1 ? CurlLibrary(Self.missing) : CurlLibrary.load()
        }
        #expect(times.load(ordering: .relaxed) == 0)
        let url = "http://127.0.0.1:\(listener.port)/"
        #expect(await failure(transport, to: url)?.reason == Self.advice)
        #expect(await failure(transport, to: url) == nil)
        #expect(await failure(transport, to: url) == nil)
        #expect(times.load(ordering: .relaxed) == 2)
        await listener.stop(draining: .zero)
    }
}
#endif
