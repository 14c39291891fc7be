// SPDX-License-Identifier: Apache-2.0

#if canImport(DeviceCheck)
import DeviceCheck
import Foundation
public import JOSE
import OAuthSystem
public import SigningKeys
public import StrictJSON

/// Apple's statement that an unmodified copy of the app runs on a genuine device (App Attest).
///
/// The key of App Attest is another one than that of the tokens: the hash that it signs contains both the challenge of the
/// attester and the thumbprint of the key of the tokens. It is made once, and again when Apple no longer knows it. What is
/// known of it is in the Keychain of this device: its identifier, and Apple's attestation, which is given only once.
///
/// App Attest is not available in simulators, on Macs and in most app extensions: ask ``isSupported``, and use the
/// attestation of the app there, or other evidence. This code has never run on a device; it is compiled against the
/// declarations of Apple's documentation, and the part of it that needs no device is tested.
///
/// ## Specification
///
/// [Establishing your app’s integrity](https://developer.apple.com/documentation/devicecheck/establishing-your-app-s-integrity)
public struct AppAttestEvidence: AttestationEvidence {
    private let device: SystemAppAttestDevice

    /// Makes it; nothing is read or made yet.
    ///
    /// - Parameters:
    ///   - account: A name for the key of App Attest: Apple recommends one for each account of the device.
    ///   - accessGroup: The access group of the Keychain for what is known of the key; `nil` for the first one of the app.
    ///   - accessibility: When that can be read; use that of the keys.
    public init(
        account: String = "default",
        accessGroup: String? = nil,
        accessibility: KeychainAccessibility = .afterFirstUnlockThisDeviceOnly
    ) {
        let items = KeychainItems(
            service: "keybound.app-attest",
            accessGroup: accessGroup,
            accessibility: accessibility
        )
        device = SystemAppAttestDevice(name: account, items: items)
    }

    /// Whether this device and this process have App Attest.
    public static var isSupported: Bool { DCAppAttestService.shared.isSupported }

    /// Evidence of the format `apple-appattest`, the name that Apple's attestation objects have as `fmt`.
    ///
    /// - Parameters:
    ///   - key: The key of the tokens.
    ///   - challenge: The challenge of the attester.
    /// - Returns: `key_id`, `attestation` and the hash in it as `attestation_hash`, and `assertion` over the SHA-256 hash of
    ///   the bytes of the challenge and of the thumbprint of the key. `docs/attestation.md` says what to verify.
    /// - Throws: ``OAuthClientError/Code/attestationFailed`` if App Attest is not available here, or for a challenge that is
    ///   no base64url; `DCError`, which says by `serverUnavailable` that Apple could not be reached;
    ///   ``/SigningKeys/KeyStoreError``.
    public func evidence(about key: any SigningKey, challenge: String) async throws -> JSONObject {
        try await AppAttestStatement(device: device).evidence(about: key, challenge: challenge)
    }
}

/// App Attest of the system, and a record in the Keychain.
private struct SystemAppAttestDevice: AppAttestDevice {
    let name: String
    let items: KeychainItems

    var isSupported: Bool { AppAttestEvidence.isSupported }

    func makeKey() async throws -> String {
        try await answer { DCAppAttestService.shared.generateKey(completionHandler: $0) }
    }

    func attestation(of key: String, clientDataHash: [UInt8]) async throws -> [UInt8] {
        [UInt8](
            try await answer { (answered: @escaping @Sendable (Data?, (any Error)?) -> Void) in
                DCAppAttestService.shared.attestKey(
                    key,
                    clientDataHash: Data(clientDataHash),
                    completionHandler: answered
                )
            }
        )
    }

    func assertion(by key: String, clientDataHash: [UInt8]) async throws -> [UInt8] {
        [UInt8](
            try await answer { (answered: @escaping @Sendable (Data?, (any Error)?) -> Void) in
                DCAppAttestService.shared.generateAssertion(
                    key,
                    clientDataHash: Data(clientDataHash),
                    completionHandler: answered
                )
            }
        )
    }

    private func answer<Value: Sendable>(
        _ ask: (@escaping @Sendable (Value?, (any Error)?) -> Void) -> Void
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            ask { value, error in
                if let value {
                    continuation.resume(returning: value)
                } else {
                    let silence = OAuthClientError(.attestationFailed, "App Attest gave no answer")
                    continuation.resume(throwing: error ?? silence)
                }
            }
        }
    }

    func isOfLostKey(_ error: any Error) -> Bool {
        (error as? DCError)?.code == .invalidKey
    }

    func record() async throws -> [UInt8]? {
        try await BlockingWork.run { try items.value(of: name) }
    }

    func keep(_ record: [UInt8]?) async throws {
        try await BlockingWork.run {
            if let record { try items.replace(name, record) } else { try items.delete(name) }
        }
    }
}
#endif
