// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import OAuthCore
import OAuthSystem
import OAuthTransport

/// The issuers whose tokens a gateway accepts: those of its start, without those that its file no longer lists.
///
/// An issuer and its keys belong together. One that the file adds has no keys before a restart, and gets those of no other;
/// one that the file no longer lists is dropped at once, because its keys may be compromised, unless none would be left.
struct GatewayIssuers: Sendable {
    /// An issuer, and its keys.
    struct Issuer: Sendable {
        /// What the file says about it.
        let settings: GatewayIssuerSettings
        /// Where its keys are, as the file had it at the start.
        let place: String
        let keys: IssuerKeys
    }

    let first: Issuer
    let further: [Issuer]
    /// The APIs of the file that listed these issuers last, for their `audiences`.
    private let apis: [GatewayAPISettings]

    /// All issuers, the first one first.
    var all: [Issuer] { [first] + further }

    /// The issuers at the start.
    init(_ settings: GatewaySettings, _ transport: PlatformTransport) {
        let issuer = { (settings: GatewayIssuerSettings) in
            Issuer(
                settings: settings,
                place: Self.place(settings),
                keys: IssuerKeys(of: settings.issuer, at: settings.jwksURI, transport: transport)
            )
        }
        self.init(issuer(settings.issuer), settings.furtherIssuers.map(issuer), settings.apis)
    }

    private init(_ first: Issuer, _ further: [Issuer], _ apis: [GatewayAPISettings]) {
        self.first = first
        self.further = further
        self.apis = apis
    }

    /// The issuers after the file was read again: those that it still lists, with the rules that it now has for them.
    ///
    /// If it lists none of them, all stay as they were: a gateway without any issuer would accept no token.
    func listed(in settings: GatewaySettings) -> GatewayIssuers {
        let left = all.compactMap { issuer in
            settings.issuers.first { $0.name.isIdentical(to: issuer.settings.name) }
                .map { Issuer(settings: $0, place: issuer.place, keys: issuer.keys) }
        }
        guard let first = left.first else { return self }
        return GatewayIssuers(first, Array(left.dropFirst()), settings.apis)
    }

    /// The names of those that are not among others.
    func names(notIn others: GatewayIssuers) -> [String] {
        all.map(\.settings.name).filter { name in !others.all.contains { $0.settings.name.isIdentical(to: name) } }
    }

    /// What an API says about these issuers: in the file that listed them last.
    func rules(of api: GatewayAPISettings) -> GatewayAPISettings {
        apis.first { $0.address == api.address } ?? api
    }

    /// `aud` of the tokens of an issuer at an API.
    func audience(of issuer: Issuer, at api: GatewayAPISettings) -> String {
        rules(of: api).ownAudience(of: issuer.settings) ?? api.audience
    }

    /// Which settings of the issuers wait for a restart, by their names in the file.
    func waiting(in settings: GatewaySettings) -> [String] {
        guard !settings.listsIssuers else {
            let isSame = all.map(\.place) == settings.issuers.map(Self.place)
            return isSame ? [] : ["issuers"]
        }
        guard first.settings.name.isIdentical(to: settings.issuer.name) else { return ["issuer"] }
        return first.place == Self.place(settings.issuer) ? [] : ["jwksURI"]
    }

    private static func place(_ issuer: GatewayIssuerSettings) -> String {
        "\(issuer.name),\(issuer.jwksURI?.description ?? "")"
    }
}
#endif
