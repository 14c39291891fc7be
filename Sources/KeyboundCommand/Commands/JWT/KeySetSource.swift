// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JOSE
import OAuthCore
import OAuthSystem
import OAuthTransport
import StrictJSON

/// Reads public keys from a file or a URL.
struct KeySetSource {
    private let allowsInsecureLoopback: Bool

    init(_ arguments: ParsedArguments) {
        allowsInsecureLoopback = arguments.has(.insecureLoopback)
    }

    /// Reads a JWK set, or a single JWK.
    func keySet(_ source: String) async throws -> JWKSet {
        let isAddress = source.contains(text: "://")
        let bytes = isAddress ? try await fetch(source) : try InputFile.read(source)
        guard let object = try? JSONValue(parsing: bytes).objectValue else {
            throw CommandFailure(.failure, "\(source) is not a JSON object")
        }
        return object["keys"] == nil ? JWKSet([try JWK(parsing: object)]) : try JWKSet(parsing: object)
    }

    private func fetch(_ address: String) async throws -> [UInt8] {
        let uri = try URI(parsing: address)
        guard uri.scheme == "https" || (uri.scheme == "http" && uri.isLoopbackIPLiteral && allowsInsecureLoopback)
        else {
            throw CommandFailure.usage(
                "the URL of the keys is not https",
                hint: "for a server on this machine: \(Option.insecureLoopback.name)"
            )
        }
        let request = HTTPRequest(method: "GET", target: address, fields: ["Accept": "application/json"])
        let response: HTTPResponse
        do {
            response = try await PlatformTransport().send(request, maximumBodySize: 1 << 20)
        } catch {
            throw CommandFailure(
                .unavailable,
                "\(address): \(error.reason)",
                hint: "a file with the JWK set will do too"
            )
        }
        guard response.status == 200 else {
            throw CommandFailure(
                .unavailable,
                "\(address) returned \(response.status)",
                hint: "the metadata of the issuer names the address as jwks_uri"
            )
        }
        return response.body
    }
}
