// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeyboundCommand
@testable import OAuthClient

@Suite("What the command says about errors of the client library")
struct ClientFailureTests {
    @Test(
        arguments: [
            (.seconds(42), "42"), (.milliseconds(41_001), "42"), (.milliseconds(1), "1"), (.seconds(3600), "3600"),
        ] as [(Duration, String)]
    )
    func `RFC 9110 section 10 2 3: a pause says how long it is`(_ pause: Duration, _ seconds: String) {
        let failure = CommandFailure(OAuthClientError(retryAfter: pause))
        #expect(failure.exitCode == .unavailable)
        #expect(failure.message == "no refresh is sent yet, since the last one failed")
        #expect(failure.hints == ["try again in \(seconds) s"])
    }

    @Test func `a pause says why it is, if this process has seen the failure`() {
        let cause = OAuthClientError(.transportFailed, "nothing answers")
        let failure = CommandFailure(OAuthClientError(retryAfter: .seconds(8), cause: cause))
        #expect(failure.hints == ["the last attempt failed: nothing answers", "try again in 8 s"])
        // Without a pause there is nothing to say.
        #expect(CommandFailure(cause).hints == [])
    }
}
