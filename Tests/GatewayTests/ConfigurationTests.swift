// SPDX-License-Identifier: Apache-2.0

import Gateway
import HTTPMessage
import ResourceServer
import TestSupport
import Testing

@Suite("Gateway: configurations")
struct ConfigurationTests {
    private func engine(_ addresses: [String], _ change: (inout ProtectedAPI) -> Void = { _ in }) throws {
        let apis = try addresses.map { text in
            let address = try URI(parsing: text)
            let requestGuard = try RequestGuard(
                configuration: GuardConfiguration(issuer: GatewayStage.issuer, address: address),
                keys: NoKeys()
            )
            var api = ProtectedAPI(address: address, requestGuard: requestGuard, rules: try GatewayStage.rules())
            change(&api)
            return api
        }
        _ = try GatewayEngine(GatewayConfiguration(apis: apis, proxies: [.nginx]))
    }

    @Test(arguments: [["https://a.test"], ["http://127.0.0.1:8080"], ["https://a.test", "https://b.test:8443"]])
    func `addresses that work`(_ addresses: [String]) throws {
        try engine(addresses)
    }

    @Test(arguments: [[], ["http://a.test"], ["https://a.test/api"], ["https://a.test", "https://A.test:444"]])
    func `attack: addresses that cannot be told apart or are not protected`(_ addresses: [String]) {
        let error = #expect(throws: GatewayError.self) { try engine(addresses) }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test func `an API without rules, and fields that are not the gateway's to set`() {
        #expect(throws: GatewayError.self) { try engine(["https://a.test"]) { $0.rules = [] } }
        for name in [
            "X-Tenant", "X-Keybound-", "x-keybound-tenant", "X-Keybound-subject", "X-Keybound-A b", "X-Keybound-Status",
        ] {
            #expect(throws: GatewayError.self, "\(name)") {
                try engine(["https://a.test"]) { $0.claimFields = [name: "c"] }
            }
        }
    }

    @Test func `attack: two claims in one field, written in other capitals`() {
        let error = #expect(throws: GatewayError.self) {
            try engine(["https://a.test"]) {
                $0.claimFields = ["X-Keybound-Tenant": "tenant", "X-Keybound-TENANT": "other"]
            }
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.reason.contains("X-Keybound-Tenant") ?? false)
    }

    @Test(arguments: [
        ("", "is empty"), ("/", "empty name"), ("/a//b", "empty name"), ("/a/", "empty name"), ("/a~2", "'~0'"),
    ])
    func `a claim that leads nowhere is named with its field`(_ claim: String, _ text: String) {
        let error = #expect(throws: GatewayError.self) {
            try engine(["https://a.test"]) { $0.claimFields = ["X-Keybound-Roles": claim] }
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.reason.hasPrefix("the field X-Keybound-Roles cannot be set: ") ?? false)
        #expect(error?.reason.contains(text) ?? false, "\(error?.reason ?? "")")
    }
}
