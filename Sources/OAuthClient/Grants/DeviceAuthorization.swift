// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
public import OAuthCore
public import OAuthSystem
import StrictJSON

/// What to show to a user who signs in with another device (RFC 8628 section 3.2).
///
/// It does not print: an attacker with the codes could take the tokens or mislead the user.
public struct DeviceAuthorization: Sendable, RedactedSecret {
    /// The code that the user types on the other device.
    public let userCode: String
    /// The address that the user opens on the other device, short enough to type.
    public let verificationURI: String
    /// The address with the code in it, for a QR code.
    ///
    /// Show ``userCode`` in addition, so that the user can compare it.
    public let verificationURIComplete: String?
    /// When the codes expire.
    public let expiresAt: Timestamp
    /// How long to wait between two polls; 5 seconds when the server does not say.
    public let interval: Duration
    /// The requested scope.
    public var scope: Scope { access.scope }

    let access: RequestedAccess
    let deviceCode: String
    let keyThumbprint: JWKThumbprint?

    /// Reads the device authorization response.
    init(
        parsing object: JSONObject,
        access: RequestedAccess,
        now: Timestamp,
        keyThumbprint: JWKThumbprint?,
        policy: URLPolicy
    ) throws(OAuthClientError) {
        deviceCode = try Self.text("device_code", in: object)
        userCode = try Self.text("user_code", in: object)
        verificationURI = try Self.text("verification_uri", in: object)
        try Self.requireSecure(verificationURI, policy)
        if let complete = object["verification_uri_complete"], complete != .null {
            let text = try Self.text("verification_uri_complete", in: object)
            try Self.requireSecure(text, policy)
            verificationURIComplete = text
        } else {
            verificationURIComplete = nil
        }
        guard let lifetime = object["expires_in"]?.lifetime else { throw Self.malformed("expires_in") }
        expiresAt = now + lifetime
        interval = try Self.interval(object["interval"])
        self.access = access
        self.keyThumbprint = keyThumbprint
    }

    /// RFC 8628 section 3.2: 5 seconds when absent; never so short that the client polls without a pause.
    private static func interval(_ value: JSONValue?) throws(OAuthClientError) -> Duration {
        guard let value, value != .null else { return .seconds(5) }
        guard let interval = value.lifetime else { throw malformed("interval") }
        return max(interval, .seconds(1))
    }

    private static func text(_ name: String, in object: JSONObject) throws(OAuthClientError) -> String {
        guard let text = object[name]?.stringValue, !text.isEmpty, text.utf8.count <= maximumLength,
            text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw malformed(name) }
        return text
    }

    /// The user opens the page: no attacker on the network may be able to replace it.
    private static func requireSecure(_ text: String, _ policy: URLPolicy) throws(OAuthClientError) {
        guard let uri = try? URI(parsing: text) else { throw malformed("verification_uri") }
        try policy.requireSecure(uri, "the address that the user is to open")
    }

    private static func malformed(_ name: String) -> OAuthClientError {
        OAuthClientError(.malformedResponse, "'\(name)' of the device authorization is missing or malformed")
    }

    private static let maximumLength = 4096
}
