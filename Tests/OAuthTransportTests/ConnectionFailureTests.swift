// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OAuthTransport

@Suite("What is said when there is no connection")
struct ConnectionFailureTests {
    @Test(
        arguments: [
            ("https://auth.example.com/token?code=secret", "auth.example.com:443"),
            ("http://auth.example.com", "auth.example.com:80"),
            ("https://user:secret@auth.example.com:8443/secret#secret", "auth.example.com:8443"),
            ("http://[::1]:9000/", "[::1]:9000"),
        ] as [(String, String)]
    )
    func `it names host and port, and nothing else of the URL`(_ url: String, _ address: String) {
        #expect(
            ConnectionFailure.reason(connectingTo: url) == "cannot connect to \(address); is the server running?"
        )
    }

    @Test(arguments: [nil, "not a URL with a secret", "urn:secret"] as [String?])
    func `without a host it says so`(_ url: String?) {
        #expect(ConnectionFailure.reason(connectingTo: url) == "cannot connect to the server; is it running?")
    }
}
