// SPDX-License-Identifier: Apache-2.0

package import HTTPMessage

extension URI {
    /// Whether nobody on the network can read or change what is sent there: https, or http to a loopback IP literal.
    ///
    /// RFC 8414 sections 2 and 6.1 and RFC 7662 section 4 require TLS; requests to a loopback address do not leave the machine.
    package var isHTTPSOrLoopback: Bool {
        let name = scheme.lowercased()
        return name == "https" || name == "http" && isLoopbackIPLiteral
    }
}
