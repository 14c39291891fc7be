// SPDX-License-Identifier: Apache-2.0

import DPoP
import HTTPMessage
import JOSE
import ServerStorage
import Testing

@testable import AuthorizationServer

@Suite("What specifications say about a configuration: RFC 9700, OAuth 2.1, FAPI 2.0")
struct ConfigurationRuleTests {
    typealias Change = @Sendable (inout ServerConfiguration) throws -> Void

    /// What trips each rule, and nothing else.
    private static let trips: [(rule: String, change: Change)] = [
        ("sender-constrained-tokens", { $0.requireDPoP = false }),
        ("audience-restriction", { $0.audience = $0.issuer.description + "/" }),
        (
            "encrypted-connections",
            {
                $0.issuer = try URI(parsing: "http://127.0.0.1:8080")
                $0.allowsInsecureLoopbackIssuer = true
            }
        ),
        ("trusted-proxies", { $0.trustedProxies.ranges += [IPAddressRange(parsing: "0.0.0.0/0")].compactMap(\.self) }),
        ("refresh-token-lifetime", { $0.lifetimes.refreshToken = .seconds(367 * 86_400) }),
        ("refresh-grace", { $0.lifetimes.refreshGrace = .seconds(121) }),
        ("proofs-made-ahead", { $0.noncePolicy = .off }),
        ("open-redirector", { $0.errorRedirects = .always }),
        ("consent-for-any-app", { $0.remembersConsentForRedirectsThatAnyAppCanTake = true }),
        ("guessing-tokens", { $0.rateLimits.token = nil }),
        ("guessing-passwords", { $0.rateLimits.login = nil }),
        ("short-lived-access-tokens", { $0.lifetimes.accessToken = .seconds(3601) }),
        ("first-party-without-attester", { $0.firstParty.isOn = true }),
        (
            "first-party-unattested",
            { $0.firstParty = FirstPartyPolicy(isOn: true, allowsUnattestedClients: true) }
        ),
        ("fapi2-pushed-requests", { $0.profile = .fapi2 }),
        (
            "fapi2-assertion-algorithms",
            {
                $0.adopt(.fapi2)
                $0.clientAssertionAlgorithms = [.es256, .rs256]
            }
        ),
        (
            "fapi2-assertion-audience",
            {
                $0.adopt(.fapi2)
                $0.assertionAudience = .issuerOrEndpoint
            }
        ),
        (
            "fapi2-request-algorithms",
            {
                $0.adopt(.fapi2)
                $0.requestObjectAlgorithms = [.es256, .rs256]
            }
        ),
        (
            "fapi2-token-algorithms",
            {
                $0.adopt(.fapi2)
                $0.resources = [ProtectedResource(address: "https://other.example", signingAlgorithm: .rs256)]
            }
        ),
        (
            "fapi2-code-lifetime",
            {
                $0.adopt(.fapi2)
                $0.lifetimes.authorizationCode = .seconds(61)
            }
        ),
        (
            "fapi2-request-lifetime",
            {
                $0.adopt(.fapi2)
                $0.lifetimes.authorizationRequest = .seconds(600)
            }
        ),
        (
            "fapi2-no-rotation",
            {
                $0.adopt(.fapi2)
                $0.lifetimes.refreshGrace = .zero
            }
        ),
        (
            "attestation-in-fapi2",
            {
                $0.adopt(.fapi2)
                $0.attesters = [try FakeAttester.ofTheApps().trusted(for: ["notes"])]
            }
        ),
        (
            "attestation-age",
            {
                $0.attesters = [try FakeAttester.ofTheApps().trusted(for: ["notes"])]
                $0.attesters[0].maximumAge = .seconds(86_401)
            }
        ),
    ]

    /// Rules that another document has too, so that both speak.
    private static let doubled: [(rules: [String], change: Change)] = [
        (
            ["first-party-unattested", "first-party-in-fapi2"],
            {
                $0.adopt(.fapi2)
                $0.firstParty = FirstPartyPolicy(isOn: true, allowsUnattestedClients: true)
            }
        ),
        (
            ["sender-constrained-tokens", "fapi2-sender-constrained-tokens"],
            {
                $0.adopt(.fapi2)
                $0.requireDPoP = false
            }
        ),
        (
            ["proofs-made-ahead", "attestation-without-nonces"],
            {
                $0.noncePolicy = .off
                $0.attesters = [try FakeAttester.ofTheApps().trusted(for: ["notes"])]
            }
        ),
        (
            ["encrypted-connections", "fapi2-encrypted-connections"],
            {
                $0.adopt(.fapi2)
                $0.issuer = try URI(parsing: "http://127.0.0.1:8080")
                $0.allowsInsecureLoopbackIssuer = true
            }
        ),
    ]

    private func configuration(_ change: Change = { _ in }) throws -> ServerConfiguration {
        var configuration = ServerConfiguration(
            issuer: try URI(parsing: ServerUnderTest.issuer),
            audience: ServerUnderTest.audience,
            scopes: []
        )
        try change(&configuration)
        return configuration
    }

    @Test func `the settings that nobody changed break no rule, in either profile`() throws {
        #expect(try configuration().findings().isEmpty)
        let fapi2 = try configuration { $0.adopt(.fapi2) }
        #expect(fapi2.findings().isEmpty)
        try fapi2.validate()
    }

    @Test func `each rule is tripped by its setting and by nothing else`() throws {
        for (rule, change) in Self.trips {
            #expect(try configuration(change).findings().map(\.rule) == [rule])
        }
        for (rules, change) in Self.doubled {
            #expect(try configuration(change).findings().map(\.rule) == rules)
        }
    }

    /// How a server runs so that it breaks a rule, with this configuration.
    private static let deployed: [(rule: String, Deployment, Change)] = [
        (
            "listening-for-everybody",
            Deployment(isReachableByOthers: true, namesProxies: false, remembersProofsInMemory: true), { _ in }
        ),
        (
            "replay-memory-without-nonces",
            Deployment(isReachableByOthers: true, namesProxies: true, remembersProofsInMemory: true),
            { $0.noncePolicy = .off }
        ),
    ]

    @Test func `how a server runs can break a rule too`() throws {
        for (rule, deployment, change) in Self.deployed {
            let configuration = try configuration(change)
            let found = configuration.findings(in: deployment).map(\.rule)
            #expect(Set(found).subtracting(configuration.findings().map(\.rule)) == [rule])
        }
        let shared = Deployment(isReachableByOthers: false, namesProxies: false, remembersProofsInMemory: false)
        let configuration = try configuration { $0.noncePolicy = .off }
        #expect(configuration.findings(in: shared) == configuration.findings())
    }

    @Test func `no rule is left out, and each names its section`() {
        let tripped = Self.trips.map(\.rule) + Self.doubled.flatMap(\.rules) + Self.deployed.map(\.rule)
        #expect(Set(ConfigurationRule.all.map(\.name)) == Set(tripped))
        #expect(Set(ConfigurationRule.all.map(\.name)).count == ConfigurationRule.all.count)
        for rule in ConfigurationRule.all {
            #expect(rule.section.contains(" section "), "\(rule.name)")
            #expect(!rule.setting.isEmpty && !rule.problem.isEmpty && !rule.advice.isEmpty, "\(rule.name)")
        }
    }

    @Test func `what contradicts the profile does not start, and what is advised against does`() throws {
        for (_, change) in Self.trips + Self.doubled.map({ ($0.rules.joined(), $0.change) }) {
            let configuration = try configuration(change)
            let isContradicted = configuration.findings().contains { $0.severity == .error }
            #expect(configuration.findings().allSatisfy { $0.severity == .warning } != isContradicted)
            if isContradicted {
                #expect(throws: AuthorizationServerError.self) { try configuration.validate() }
            } else {
                try configuration.validate()
            }
        }
    }

    @Test func `a refusal names the setting, the section and what to do`() throws {
        let configuration = try configuration { $0.profile = .fapi2 }
        let error = #expect(throws: AuthorizationServerError.self) { try configuration.validateProfile() }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.reason.contains("requirePushedAuthorizationRequests") == true)
        #expect(error?.reason.contains("FAPI 2.0 section 5.3.2.2") == true)
    }
}
