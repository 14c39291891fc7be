// SPDX-License-Identifier: Apache-2.0

import OAuthClient
import StrictJSON

/// Reads the services of a file that name the apps for callbacks.
struct AppLinkReader {
    /// The defaults for patterns that do not set these themselves.
    private struct Settings {
        var isCaseSensitive = true
        var isPercentEncoded = true

        func overridden(by object: JSONObject) -> Settings {
            var settings = self
            if let value = object["caseSensitive"]?.boolValue { settings.isCaseSensitive = value }
            if let value = object["percentEncoded"]?.boolValue { settings.isPercentEncoded = value }
            return settings
        }
    }

    private let variables: [String: [String]]

    /// The apps of a service that consists only of apps.
    static func apps(ofService service: String, in file: JSONObject) throws(OAuthClientError) -> [String] {
        guard let value = file[service] else { return [] }
        guard let object = value.objectValue else { throw malformed(service) }
        return try strings(object["apps"], service + ".apps")
    }

    /// The patterns of `applinks`, in the order in which they are tried.
    static func rules(in file: JSONObject) throws(OAuthClientError) -> [AppLinkRule] {
        guard let value = file["applinks"] else { return [] }
        guard let service = value.objectValue else { throw malformed("applinks") }
        guard let details = service["details"] else { return [] }
        guard let details = details.arrayValue else { throw malformed("applinks.details") }
        let reader = try AppLinkReader(variables: variables(service["substitutionVariables"]))
        let settings = try Settings().overridden(by: defaults(service))
        var rules: [AppLinkRule] = []
        for entry in details {
            guard let entry = entry.objectValue else { throw malformed("applinks.details") }
            rules += try reader.rules(of: entry, settings.overridden(by: defaults(entry)))
        }
        return rules
    }

    private func rules(of entry: JSONObject, _ settings: Settings) throws(OAuthClientError) -> [AppLinkRule] {
        var apps = try Self.strings(entry["appIDs"], "appIDs")
        if let app = entry["appID"] {
            guard let app = app.stringValue else { throw Self.malformed("appID") }
            apps.append(app)
        }
        var rules: [AppLinkRule] = []
        guard let components = entry["components"] else {
            for path in try Self.strings(entry["paths"], "paths") { rules.append(try Self.rule(path, apps)) }
            return rules
        }
        guard let components = components.arrayValue else { throw Self.malformed("components") }
        for component in components {
            guard let component = component.objectValue else { throw Self.malformed("components") }
            rules.append(try rule(component, apps, settings.overridden(by: component)))
        }
        return rules
    }

    private func rule(
        _ component: JSONObject,
        _ apps: [String],
        _ settings: Settings
    ) throws(OAuthClientError) -> AppLinkRule {
        let query: AppLinkRule.Query
        if let items = component["?"]?.objectValue {
            var patterns: [String: AppLinkPattern] = [:]
            for item in items.members { patterns[item.name] = try pattern(item.value, "?", settings) }
            query = .items(patterns)
        } else {
            query = .whole(try pattern(component["?"], "?", settings))
        }
        return AppLinkRule(
            apps: apps,
            path: try pattern(component["/"], "/", settings),
            query: query,
            fragment: try pattern(component["#"], "#", settings),
            isPercentEncoded: settings.isPercentEncoded,
            excludes: component["exclude"]?.boolValue ?? false
        )
    }

    /// A pattern of the form before iOS 13: for the path alone, `NOT ` in front excludes.
    private static func rule(_ path: String, _ apps: [String]) throws(OAuthClientError) -> AppLinkRule {
        let excludes = path.hasPrefix("NOT ")
        let text = excludes ? String(path.dropFirst(4)) : path
        return AppLinkRule(
            apps: apps,
            path: try AppLinkPattern(text, variables: nil, isCaseSensitive: true),
            query: .whole(.everything),
            fragment: .everything,
            isPercentEncoded: true,
            excludes: excludes
        )
    }

    private func pattern(
        _ value: JSONValue?,
        _ name: String,
        _ settings: Settings
    ) throws(OAuthClientError) -> AppLinkPattern {
        guard let value else { return .everything }
        guard let text = value.stringValue else { throw Self.malformed(name) }
        return try AppLinkPattern(text, variables: variables, isCaseSensitive: settings.isCaseSensitive)
    }

    private static func defaults(_ object: JSONObject) throws(OAuthClientError) -> JSONObject {
        guard let value = object["defaults"] else { return [:] }
        guard let defaults = value.objectValue else { throw malformed("defaults") }
        return defaults
    }

    private static func variables(_ value: JSONValue?) throws(OAuthClientError) -> [String: [String]] {
        guard let value else { return [:] }
        guard let object = value.objectValue else { throw malformed("substitutionVariables") }
        var variables: [String: [String]] = [:]
        for member in object.members { variables[member.name] = try strings(member.value, "substitutionVariables") }
        return variables
    }

    private static func strings(_ value: JSONValue?, _ name: String) throws(OAuthClientError) -> [String] {
        guard let value else { return [] }
        guard let elements = value.arrayValue else { throw malformed(name) }
        let strings = elements.compactMap(\.stringValue)
        guard strings.count == elements.count else { throw malformed(name) }
        return strings
    }

    private static func malformed(_ name: String) -> OAuthClientError {
        OAuthClientError(.malformedResponse, "'\(name)' of the file is not of the form that Apple documents")
    }
}
