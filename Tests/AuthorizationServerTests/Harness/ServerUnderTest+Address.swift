// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

extension ServerUnderTest {
    /// The same server, called from an address.
    func seen(from address: String) -> ServerUnderTest {
        ServerUnderTest(clock: clock, entropy: entropy, storage: storage, reports: reports) { [handler] request in
            var request = request
            request.peerAddress = address
            return await handler(request)
        }
    }
}
