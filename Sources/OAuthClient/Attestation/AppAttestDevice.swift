// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCrypto
import StrictJSON

/// What ``AppAttestStatement`` needs of a device: App Attest, and a place for one record.
protocol AppAttestDevice: Sendable {
    var isSupported: Bool { get }

    /// Makes a key, and returns its identifier.
    func makeKey() async throws -> String
    /// Apple's attestation of a key that has none yet.
    func attestation(of key: String, clientDataHash: [UInt8]) async throws -> [UInt8]
    /// An assertion by a key that has an attestation.
    func assertion(by key: String, clientDataHash: [UInt8]) async throws -> [UInt8]
    /// Whether an error of these says that the key cannot be used any more.
    func isOfLostKey(_ error: any Error) -> Bool

    func record() async throws -> [UInt8]?
    /// Replaces the record; `nil` deletes it.
    func keep(_ record: [UInt8]?) async throws
}

/// What a device says of its app with App Attest; apart from Apple's framework, so that it can be tested without a device.
struct AppAttestStatement: Sendable {
    /// The key of App Attest that is in use.
    ///
    /// Its attestation is kept: Apple attests a key once, and whether the attester got the answer, the app cannot know.
    private struct Record {
        let key: String
        let hash: [UInt8]
        var attestation: [UInt8]?

        init(key: String, hash: [UInt8]) {
            (self.key, self.hash) = (key, hash)
        }

        init?(_ bytes: [UInt8]) {
            guard let object = try? JSONValue(parsing: bytes).objectValue, let key = object["key"]?.stringValue,
                let hash = object["hash"]?.stringValue.flatMap({ try? Base64URL.decode($0) })
            else { return nil }
            (self.key, self.hash) = (key, hash)
            attestation = object["attestation"]?.stringValue.flatMap { try? Base64URL.decode($0) }
        }

        var bytes: [UInt8] {
            var object: JSONObject = ["key": .string(key), "hash": .string(Base64URL.encode(hash))]
            if let attestation { object["attestation"] = .string(Base64URL.encode(attestation)) }
            return JSONValue.object(object).encoded()
        }
    }

    let device: any AppAttestDevice

    /// The evidence about a key, as ``AppAttestEvidence`` describes it.
    func evidence(about key: any SigningKey, challenge: String) async throws -> JSONObject {
        guard device.isSupported else {
            throw OAuthClientError(
                .attestationFailed,
                "App Attest is not available here: simulators, Macs and most app extensions do not have it"
            )
        }
        guard let bytes = try? Base64URL.decode(challenge) else {
            throw OAuthClientError(.attestationFailed, "the challenge of the attester is no base64url")
        }
        let hash = SHA256.hash(bytes + key.publicKey.thumbprint.digest.bytes).bytes
        do {
            return try await evidence(hash)
        } catch  where device.isOfLostKey(error) {
            // A reinstallation of the app, or a restore to another device, ends the key; the record may stay.
            try await device.keep(nil)
            return try await evidence(hash)
        }
    }

    private func evidence(_ hash: [UInt8]) async throws -> JSONObject {
        var record: Record
        if let kept = try await device.record().flatMap({ Record($0) }) {
            record = kept
        } else {
            record = Record(key: try await device.makeKey(), hash: hash)
            try await device.keep(record.bytes)
        }
        let attestation: [UInt8]
        if let known = record.attestation {
            attestation = known
        } else {
            // After an interruption again with the same hash, as Apple asks for.
            attestation = try await device.attestation(of: record.key, clientDataHash: record.hash)
            record.attestation = attestation
            try await device.keep(record.bytes)
        }
        let assertion = try await device.assertion(by: record.key, clientDataHash: hash)
        return [
            "format": "apple-appattest", "key_id": .string(record.key),
            "attestation": .string(Base64URL.encode(attestation)),
            "attestation_hash": .string(Base64URL.encode(record.hash)),
            "assertion": .string(Base64URL.encode(assertion)),
        ]
    }
}
