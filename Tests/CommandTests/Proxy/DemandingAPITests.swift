// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import TestSupport
import Testing

@testable import KeyboundCommand

@Suite("keybound request to an API that demands another authentication", .timeLimit(.minutes(2)))
struct DemandingAPITests {
    @Test func `RFC 9470 section 3: the response is shown, with the command that meets the demand`() async throws {
        let directory = try TemporaryDirectory()
        let (api, issuer) = (try ProxiedAPI(), try GatewayIssuer())
        _ = try await SignedInAccount(of: issuer, for: api.origin, in: directory)
        let url = api.origin + "/strict"

        let shown = try await KeyboundProcess.run(["request", "GET", url, "-i"], in: directory)
        #expect(shown.status == 0, Comment(rawValue: shown.errors))
        #expect(shown.output.hasPrefix("HTTP/1.1 401\r\n"))
        #expect(shown.output.contains("insufficient_user_authentication"))
        #expect(shown.output.hasSuffix("\r\n\r\ntoo weak\n"))
        let note = "the API asks for a stronger or more recent sign-in; sign in again: keybound login "
        #expect(shown.errors.contains(note), Comment(rawValue: shown.errors))
        #expect(shown.errors.contains(" --scope notes:read --max-age 1m --acr mfa\n"), Comment(rawValue: shown.errors))

        let failed = try await KeyboundProcess.run(["request", "GET", url, "--fail", "-o", "body"], in: directory)
        #expect(failed.status == 1)
        #expect(failed.errors.hasSuffix("keybound: the API returned 401\n"), Comment(rawValue: failed.errors))
        #expect(try directory.text(of: "body") == "too weak\n")
        // The demand is no reason to repeat the request.
        #expect(api.requests.count == 2)
        await api.stop()
        await issuer.stop()
    }
}
#endif
