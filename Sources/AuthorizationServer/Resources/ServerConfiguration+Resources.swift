// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCore
import OAuthSystem
import ServerStorage

extension ServerConfiguration {
    /// The API that tokens are for if the request names none.
    var defaultResource: ProtectedResource {
        resource(audience) ?? ProtectedResource(address: audience)
    }

    /// The API with an address.
    func resource(_ address: String) -> ProtectedResource? {
        if let resource = resources.first(where: { $0.address.isIdentical(to: address) }) { return resource }
        return audience.isIdentical(to: address) ? ProtectedResource(address: audience) : nil
    }

    /// The APIs with these addresses that still exist; the default API for no addresses.
    func resources(at addresses: [String]) -> [ProtectedResource] {
        addresses.isEmpty ? [defaultResource] : addresses.compactMap(resource)
    }

    /// The part of a scope for these APIs: values of one of them, and values about users, which belong to the server
    /// itself.
    func scope(_ scope: Scope, of resources: [ProtectedResource]) -> Scope {
        let words = scope.tokens.filter { word in
            isAboutPerson(word) || resources.contains { takes(word, $0) }
        }
        // The values come from a scope, so they are valid.
        return (try? Scope(words)) ?? .empty
    }

    private func takes(_ word: String, _ resource: ProtectedResource) -> Bool {
        guard resource.scopes.isEmpty else { return resource.scopes.contains { $0.isIdentical(to: word) } }
        return !resources.contains { $0.scopes.contains { $0.isIdentical(to: word) } }
    }

    func validateResources() throws(AuthorizationServerError) {
        guard Set(resources.map(\.address)).count == resources.count else {
            throw .invalid("resources", "an API is described once")
        }
        for resource in resources {
            guard let uri = try? URI(parsing: resource.address), uri.fragment == nil else {
                throw .invalid(
                    "resources",
                    "the address of an API is an absolute URI without fragment (RFC 8707 section 2)"
                )
            }
            guard resource.scopes.allSatisfy(existingScope.contains) else {
                throw .invalid("resources", "a scope of an API does not exist")
            }
            let lifetime = resource.accessTokenLifetime ?? lifetimes.accessToken
            guard lifetime >= .seconds(1), lifetime <= lifetimes.accessToken else {
                throw .invalid(
                    "resources",
                    "tokens of an API are valid for a second at least, and no longer than access tokens are at most"
                )
            }
        }
    }
}

extension Scope {
    /// The scope values about the user (OpenID Connect Core sections 3.1.2.1 and 5.4), which belong to no API.
    static let aboutPeople = [openIDName, profileName]
}
