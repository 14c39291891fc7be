// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import HTTPMessage

/// Which addresses a ``CurlTransport`` connects to.
public enum AddressPolicy: Sendable, Hashable {
    /// All of them: the app chose the servers.
    case any
    /// Only those that everybody on the Internet reaches, whatever the name resolves to: for URLs that others choose.
    ///
    /// A server that fetches such a URL can otherwise be made to ask services that only its own network reaches
    /// (server-side request forgery). The exceptions are addresses of one's own network that may be asked too.
    case globallyReachable(exceptions: [IPAddressRange] = [])

    func permits(_ address: IPAddress) -> Bool {
        switch self {
        case .any: true
        case .globallyReachable(let exceptions):
            address.isGloballyReachable || exceptions.contains { $0.contains(address) }
        }
    }
}
#endif
