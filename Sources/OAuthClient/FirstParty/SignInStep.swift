// SPDX-License-Identifier: Apache-2.0

public import OAuthCore
public import StrictJSON

/// A way to go on with a sign-in that the server offers.
///
/// A minor version may add cases; until then their steps are ``other(type:members:)``.
public enum SignInStep: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// User name and password; with the user name of the `login_hint`, if the request had one.
    case password(username: String?)
    /// A code of an authenticator app, with so many digits.
    case totp(digits: Int)
    /// A recovery code.
    case recoveryCode
    /// A passkey.
    case passkey(PasskeyRequest)
    /// The sign-in can go on in the browser.
    case redirectToWeb
    /// A step that this version does not know, with the members of its offer.
    case other(type: String, members: JSONObject)

    /// The type of the step.
    public var type: SignInStepType {
        switch self {
        case .password: .password
        case .totp: .totp
        case .recoveryCode: .recoveryCode
        case .passkey: .passkey
        case .redirectToWeb: .redirectToWeb
        case .other(let type, _): SignInStepType(rawValue: type)
        }
    }

    /// The type: the other members may name the user.
    public var description: String { type.rawValue }
    /// The same.
    public var customMirror: Mirror { Mirror(self, children: ["type": type]) }
}

extension SignInStep {
    /// The longest name of a type, in bytes.
    private static let maximumTypeLength = 64
    /// The longest user name that is shown to the user, in bytes.
    private static let maximumUsernameLength = 256
    private static let publicKey = "public_key"
    private static let digits = "digits"

    /// Reads an offer.
    ///
    /// - Throws: ``OAuthClientError/Code/malformedResponse``.
    init(parsing object: JSONObject) throws(OAuthClientError) {
        guard let type = object[FirstPartyParameter.type]?.stringValue,
            (1...Self.maximumTypeLength).contains(type.utf8.count), type.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw Self.malformed("a step has no 'type'") }
        switch SignInStepType(rawValue: type) {
        case .password: self = .password(username: Self.username(object))
        case .totp: self = .totp(digits: try Self.digits(object))
        case .recoveryCode: self = .recoveryCode
        case .passkey: self = .passkey(try Self.passkeyRequest(object))
        case .redirectToWeb: self = .redirectToWeb
        default: self = .other(type: type, members: object)
        }
    }

    /// The offer as JSON, for ``init(parsing:)``.
    var json: JSONObject {
        var object: JSONObject = [FirstPartyParameter.type: .string(type.rawValue)]
        switch self {
        case .password(let username): object[FirstPartyParameter.username] = username.map { .string($0) }
        case .totp(let digits): object[Self.digits] = .number(JSONNumber(Int64(digits)))
        case .passkey(let request): object[Self.publicKey] = try? JSONValue(parsing: Array(request.json.utf8))
        case .other(_, let members): return members
        case .recoveryCode, .redirectToWeb: break
        }
        return object
    }

    /// A user name that is too long to be shown is left out.
    private static func username(_ object: JSONObject) -> String? {
        guard let name = object[FirstPartyParameter.username]?.stringValue, !name.isEmpty,
            name.utf8.count <= maximumUsernameLength,
            name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { return nil }
        return name
    }

    /// Six, unless the server says otherwise.
    private static func digits(_ object: JSONObject) throws(OAuthClientError) -> Int {
        guard let value = object[digits] else { return 6 }
        guard let digits = value.integerValue, (1...16).contains(digits) else {
            throw malformed("'digits' of a step is not a number from 1 to 16")
        }
        return Int(digits)
    }

    private static func passkeyRequest(_ object: JSONObject) throws(OAuthClientError) -> PasskeyRequest {
        guard let options = object[publicKey]?.objectValue else {
            throw malformed("a passkey step has no 'public_key'")
        }
        return PasskeyRequest(json: String(decoding: JSONValue.object(options).encoded(), as: UTF8.self))
    }

    private static func malformed(_ what: String) -> OAuthClientError {
        OAuthClientError(.malformedResponse, "the answer of the authorization challenge endpoint is malformed: \(what)")
    }
}
