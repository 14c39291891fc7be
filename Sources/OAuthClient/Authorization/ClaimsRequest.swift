// SPDX-License-Identifier: Apache-2.0

public import StrictJSON

/// Single claims about the user that are asked for (`claims`, OpenID Connect Core section 5.5); the scope is `openid` then.
///
/// ```swift
/// var claims = ClaimsRequest()
/// claims.userInfo["email"] = .essential
/// claims.idToken["acr"] = .essential("urn:example:loa:2")
/// ```
public struct ClaimsRequest: Sendable, Hashable {
    /// How one claim is asked for (section 5.5.1).
    public struct Demand: Sendable, Hashable {
        /// Whether the app cannot do its work without the claim; servers leave it out nevertheless, but for `acr`.
        public let isEssential: Bool
        /// The values that would do, the preferred one first; empty for any.
        public let values: [JSONValue]

        private init(isEssential: Bool, values: [JSONValue]) {
            self.isEssential = isEssential
            self.values = values
        }

        /// Any value, or none.
        public static let voluntary = Self(isEssential: false, values: [])
        /// Any value, which the app needs.
        public static let essential = Self(isEssential: true, values: [])

        /// One of these values, or else another one, or none.
        ///
        /// - Parameter values: The values, the preferred one first.
        /// - Returns: The demand.
        public static func voluntary(_ values: JSONValue...) -> Self { Self(isEssential: false, values: values) }

        /// One of these values, which the app needs.
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

    /// The claims that the id_token should have, by name.
    ///
    /// An `acr` that is essential, and a `sub` with a value, are checked when the id_token comes.
    public var idToken: [String: Demand]
    /// The claims that ``OAuthSession/userInfo()`` should give, by name.
    public var userInfo: [String: Demand]

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - idToken: The claims that the id_token should have, by name.
    ///   - userInfo: The claims that ``OAuthSession/userInfo()`` should give, by name.
    public init(idToken: [String: Demand] = [:], userInfo: [String: Demand] = [:]) {
        self.idToken = idToken
        self.userInfo = userInfo
    }

    /// The value of the parameter, names in order; empty when nothing is asked for.
    public var json: JSONObject {
        var object = JSONObject()
        for (name, demands) in [("userinfo", userInfo), ("id_token", idToken)] where !demands.isEmpty {
            var members = JSONObject()
            for (claim, demand) in demands.sorted(by: { $0.key < $1.key }) { members[claim] = demand.json }
            object[name] = .object(members)
        }
        return object
    }

    /// The authentication contexts of which the id_token must name one; empty for any, `nil` when it need not name any.
    var requiredACRValues: [String]? {
        guard let demand = idToken["acr"], demand.isEssential else { return nil }
        return demand.values.compactMap(\.stringValue)
    }

    /// The user who must sign in, and no other (section 5.5.1).
    var requiredSubject: String? {
        idToken["sub"].flatMap { $0.values.count == 1 ? $0.values[0].stringValue : nil }
    }
}
