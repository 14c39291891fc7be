// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCrypto
import OAuthSystem
import StrictJSON
import Synchronization
import TestSupport
import Testing

@testable import OAuthClient

/// Apple: Establishing your app's integrity; DCAppAttestService; DCError.
@Suite("Evidence with App Attest")
struct AppAttestTests {
    /// A device whose attestations and assertions say what they are about.
    private final class Device: AppAttestDevice {
        struct Failure: Error, Equatable {
            let isOfLostKey: Bool
        }

        struct State {
            var made = 0
            var attested: [String: [UInt8]] = [:]
            var known: Set<String> = []
            var asked: [(key: String, hash: [UInt8])] = []
            var kept: [UInt8]?
            var isUnreachable = false
        }

        let state = Mutex(State())
        let isSupported: Bool

        init(isSupported: Bool = true) {
            self.isSupported = isSupported
        }

        func makeKey() async throws -> String {
            state.withLock { state in
                state.made += 1
                state.known.insert("key-\(state.made)")
                return "key-\(state.made)"
            }
        }

        func attestation(of key: String, clientDataHash: [UInt8]) async throws -> [UInt8] {
            try state.withLock { state in
                state.asked.append((key, clientDataHash))
                if state.isUnreachable { throw Failure(isOfLostKey: false) }
                // Apple attests a key once.
                guard state.known.contains(key), state.attested[key] == nil else { throw Failure(isOfLostKey: true) }
                state.attested[key] = clientDataHash
                return Array("attestation of \(key)".utf8)
            }
        }

        func assertion(by key: String, clientDataHash: [UInt8]) async throws -> [UInt8] {
            try state.withLock { state in
                guard state.known.contains(key), state.attested[key] != nil else { throw Failure(isOfLostKey: true) }
                return Array("assertion by \(key): ".utf8) + clientDataHash
            }
        }

        func isOfLostKey(_ error: any Error) -> Bool { (error as? Failure)?.isOfLostKey ?? false }

        func record() async throws -> [UInt8]? { state.withLock { $0.kept } }

        func keep(_ record: [UInt8]?) async throws { state.withLock { $0.kept = record } }
    }

    private let key: any SigningKey
    private static let challenge = Base64URL.encode([UInt8](repeating: 7, count: 32))

    init() throws {
        key = try TestKey.p256(1)
    }

    private func evidence(_ device: Device, _ challenge: String = challenge) async throws -> JSONObject {
        try await AppAttestStatement(device: device).evidence(about: key, challenge: challenge)
    }

    private func bytes(_ name: String, of evidence: JSONObject) throws -> [UInt8] {
        try Base64URL.decode(#require(evidence[name]?.stringValue))
    }

    /// Computed apart from the code.
    private func hash(_ challenge: String = challenge) throws -> [UInt8] {
        let thumbprint = try Base64URL.decode(key.publicKey.thumbprint.description)
        return try SHA256.hash(Base64URL.decode(challenge) + thumbprint).bytes
    }

    @Test func `the first evidence attests a new key, and asserts with it`() async throws {
        let device = Device()
        let evidence = try await evidence(device)
        #expect(evidence.members.map(\.name) == ["format", "key_id", "attestation", "attestation_hash", "assertion"])
        #expect(evidence["format"]?.stringValue == "apple-appattest")
        #expect(evidence["key_id"]?.stringValue == "key-1")
        #expect(try bytes("attestation", of: evidence) == Array("attestation of key-1".utf8))
        #expect(try bytes("attestation_hash", of: evidence) == hash())
        #expect(try bytes("assertion", of: evidence) == Array("assertion by key-1: ".utf8) + hash())
    }

    @Test func `further evidence has the same attestation, and an assertion of the new challenge`() async throws {
        let device = Device()
        let first = try await evidence(device)
        let other = Base64URL.encode([UInt8](repeating: 8, count: 32))
        let second = try await evidence(device, other)
        #expect(device.state.withLock { $0.made } == 1)
        #expect(device.state.withLock { $0.asked.count } == 1)
        #expect(second["attestation"] == first["attestation"])
        #expect(second["attestation_hash"] == first["attestation_hash"])
        #expect(try bytes("assertion", of: second) == Array("assertion by key-1: ".utf8) + hash(other))
    }

    @Test func `an attestation that Apple did not give is asked for again with the same key and hash`() async throws {
        let device = Device()
        device.state.withLock { $0.isUnreachable = true }
        await #expect(throws: Device.Failure(isOfLostKey: false)) { try await evidence(device) }
        device.state.withLock { $0.isUnreachable = false }
        let other = Base64URL.encode([UInt8](repeating: 8, count: 32))
        let second = try await evidence(device, other)
        let asked = device.state.withLock { $0.asked }
        #expect(asked.map(\.key) == ["key-1", "key-1"])
        #expect(try asked.map(\.hash) == [hash(), hash()])
        #expect(try bytes("assertion", of: second) == Array("assertion by key-1: ".utf8) + hash(other))
    }

    @Test func `a key that is lost is made anew, once`() async throws {
        let device = Device()
        _ = try await evidence(device)
        // As after an installation: the record is still there, and no key.
        device.state.withLock { $0.known = [] }
        #expect(try await evidence(device)["key_id"]?.stringValue == "key-2")
        #expect(try await evidence(device)["key_id"]?.stringValue == "key-2")
        let broken = Device()
        broken.state.withLock { $0.kept = Array(#"{"key":"gone","hash":"AAAA"}"#.utf8) }
        broken.state.withLock { $0.attested["key-1"] = [] }
        await #expect(throws: Device.Failure(isOfLostKey: true)) { try await evidence(broken) }
        #expect(broken.state.withLock { $0.made } == 1)
    }

    @Test func `a record that is damaged is as none`() async throws {
        let device = Device()
        device.state.withLock { $0.kept = Array("{}".utf8) }
        #expect(try await evidence(device)["key_id"]?.stringValue == "key-1")
    }

    @Test func `a device without App Attest, and a challenge that is no base64url, are told`() async throws {
        let device = Device(isSupported: false)
        let error = await clientError { _ = try await evidence(device) }
        #expect(error?.code == .attestationFailed)
        #expect(error?.reason.contains("App Attest is not available here") ?? false)
        #expect(device.state.withLock { $0.made } == 0)
        #expect(await clientError { _ = try await evidence(Device(), "no base64url!") }?.code == .attestationFailed)
    }
}
