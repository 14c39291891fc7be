// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
import ResourceServer

/// What a gateway protects, and whom it believes.
public struct GatewayConfiguration: Sendable {
    /// The APIs, told apart by the host of their address.
    public var apis: [ProtectedAPI]
    /// The proxies that may ask, if they do not ask through a socket in the file system; by default none.
    ///
    /// A peer that may ask can make the gateway believe any request.
    public var trustedPeers: [IPAddressRange] = []
    /// The kinds of proxy that are answered.
    public var proxies: Set<ProxyKind>

    /// Makes a configuration.
    ///
    /// - Parameters:
    ///   - apis: The APIs.
    ///   - proxies: The kinds of proxy that are answered.
    public init(apis: [ProtectedAPI], proxies: Set<ProxyKind>) {
        self.apis = apis
        self.proxies = proxies
    }

    func check() throws(GatewayError) {
        guard !apis.isEmpty, !proxies.isEmpty else {
            throw GatewayError(.invalidConfiguration, "a gateway needs an API and a kind of proxy")
        }
        var hosts: Set<String> = []
        for api in apis {
            try check(api)
            guard hosts.insert(HostName.normalized(api.address.host ?? "") ?? "").inserted else {
                throw GatewayError(.invalidConfiguration, "two APIs have the host \(api.address.host ?? "")")
            }
        }
    }

    private func check(_ api: ProtectedAPI) throws(GatewayError) {
        let address = api.address
        guard address.scheme == "https" || address.scheme == "http" && address.isLoopbackIPLiteral,
            address.path.isEmpty,
            address.query == nil, address.fragment == nil, address.userinfo == nil
        else {
            throw GatewayError(
                .invalidConfiguration,
                "the address of an API is https, or http on a loopback address, without path and query"
            )
        }
        guard !api.rules.isEmpty else {
            throw GatewayError(.invalidConfiguration, "the API \(address) has no rules, so every request is rejected")
        }
        try checkClaimFields(of: api)
    }

    private func checkClaimFields(of api: ProtectedAPI) throws(GatewayError) {
        var names: Set<String> = []
        for (name, claim) in api.claimFields.sorted(by: { $0.key < $1.key }) {
            guard IdentityFields.isCustomName(name) else {
                throw GatewayError(
                    .invalidConfiguration,
                    "the field \(name) does not begin with X-Keybound-, or the gateway sets it itself"
                )
            }
            // RFC 9110 section 5.1: names of fields are case-insensitive.
            guard names.insert(name.lowercased()).inserted else {
                throw GatewayError(
                    .invalidConfiguration,
                    "the field \(name) differs from another one of the API \(api.address) in capitals only: give it another name"
                )
            }
            do {
                _ = try ClaimName(claim)
            } catch {
                throw GatewayError(.invalidConfiguration, "the field \(name) cannot be set: \(error.reason)")
            }
        }
    }
}
