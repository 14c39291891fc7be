// SPDX-License-Identifier: Apache-2.0

public import StrictJSON

/// A request for individual claims about the user (`claims`, OpenID Connect Core section 5.5); needs the scope
/// `openid`.
///
/// ```swift
/// var claims = ClaimsRequest()
/// claims.userInfo["email"] = .essential
/// claims.idToken["acr"] = .essential("urn:example:loa:2")
/// ```
public struct ClaimsRequest: Sendable, Hashable {
    /// How one claim is requested (section 5.5.1).
    public struct Demand: Sendable, Hashable {
        /// Whether the app needs the claim.
        ///
        /// Servers may omit it nevertheless, except for `acr`.
        public let isEssential: Bool
        /// The acceptable values, the preferred one first; empty for any.
        public let values: [JSONValue]

        private init(isEssential: Bool, values: [JSONValue]) {
            self.isEssential = isEssential
            self.values = values
        }

        /// Any value; the claim is optional.
        public static let voluntary = Self(isEssential: false, values: [])
        /// Any value; the app needs the claim.
        public static let essential = Self(isEssential: true, values: [])

        /// Prefers one of these values; the server may return another value, or omit the claim.
        ///
        /// - Parameter values: The values, the preferred one first.
        /// - Returns: The demand.
        public static func voluntary(_ values: JSONValue...) -> Self { Self(isEssential: false, values: values) }

        /// One of these values; the app needs the claim.
        ///
        /// - Parameter values: The values, the preferred one first.
        /// - Returns: The demand.
        public static func essential(_ values: JSONValue...) -> Self { Self(isEssential: true, values: values) }

        fileprivate var json: JSONValue {
            var object = JSONObject()
            if isEssential { object["essential"] = true }
            if values.count == 1 { object["value"] = values[0] }
            if values.count > 1 { object["values"] = .array(values) }
            return object.members.isEmpty ? .null : .object(object)
        }
    }

    /// The requested claims of the id_token, by name.
    ///
    /// An essential `acr`, and a `sub` with a value, are checked when the id_token is received.
    public var idToken: [String: Demand]
    /// The requested claims of ``OAuthSession/userInfo()``, by name.
    public var userInfo: [String: Demand]

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - idToken: The requested claims of the id_token, by name.
    ///   - userInfo: The requested claims of ``OAuthSession/userInfo()``, by name.
    public init(idToken: [String: Demand] = [:], userInfo: [String: Demand] = [:]) {
        self.idToken = idToken
        self.userInfo = userInfo
    }

    /// The value of the parameter, with sorted names; empty when no claim is requested.
    public var json: JSONObject {
        var object = JSONObject()
        for (name, demands) in [("userinfo", userInfo), ("id_token", idToken)] where !demands.isEmpty {
            var members = JSONObject()
            for (claim, demand) in demands.sorted(by: { $0.key < $1.key }) { members[claim] = demand.json }
            object[name] = .object(members)
        }
        return object
    }

    /// The authentication contexts of which the id_token must name one; empty for any, `nil` if it need not name one.
    var requiredACRValues: [String]? {
        guard let demand = idToken["acr"], demand.isEssential else { return nil }
        return demand.values.compactMap(\.stringValue)
    }

    /// The only user who may sign in (section 5.5.1).
    var requiredSubject: String? {
        idToken["sub"].flatMap { $0.values.count == 1 ? $0.values[0].stringValue : nil }
    }
}
