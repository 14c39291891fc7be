// SPDX-License-Identifier: Apache-2.0

public import HTTPMessage
public import JOSE
public import OAuthSystem
import StrictJSON
import Synchronization

/// The keys of an issuer, whose address is found in its metadata (RFC 8414 section 3), and then a ``JWKSetCache``.
///
/// The issuer need not be reachable when the program starts: the metadata are fetched with the first token, and again
/// after 5 s at the earliest as long as they are not found. Metadata count only if they name this issuer to the last
/// byte, and an address of keys only if it is https, or on loopback beside an issuer with http. Metadata of an issuer
/// with http that is not a loopback IP literal are never fetched.
public actor IssuerKeys: JWKSetSource {
    private let issuer: URI
    private let transport: any HTTPTransport
    private let clock: any WallClock
    /// Callers read it on their own thread, as with ``JWKSetCache``.
    private let cache: Mutex<JWKSetCache?>
    private var lastAttempt: Timestamp?
    private var running: Task<URI, any Error>?

    private static let maximumSize = 65_536
    private static let minimumInterval: Duration = .seconds(5)

    /// Makes a source that has fetched nothing yet.
    ///
    /// - Parameters:
    ///   - issuer: The issuer, as in `iss` of its tokens: an https URL, or http with a loopback IP literal.
    ///   - address: The address of the keys; `nil` to find it in the metadata of the issuer.
    ///   - transport: Sends the requests.
    ///   - clock: The time.
    public init(
        of issuer: URI,
        at address: URI? = nil,
        transport: any HTTPTransport,
        clock: any WallClock = SystemWallClock()
    ) {
        self.issuer = issuer
        self.transport = transport
        self.clock = clock
        cache = Mutex(address.map { JWKSetCache(uri: $0, transport: transport, clock: clock) })
    }

    /// The keys of the issuer, with the address that its metadata name.
    ///
    /// - Parameter keyID: `kid` of the token to verify.
    /// - Returns: The keys.
    /// - Throws: ``OAuthCoreError`` – ``OAuthCoreError/Code/keysUnavailable``.
    public nonisolated func keySet(forKeyID keyID: String?) async throws(OAuthCoreError) -> JWKSet {
        if let cache = cache.withLock(\.self) { return try await cache.keySet(forKeyID: keyID) }
        let found = try await find()
        return try await found.keySet(forKeyID: keyID)
    }

    /// Concurrent callers share one lookup.
    private func find() async throws(OAuthCoreError) -> JWKSetCache {
        let now = clock.now()
        if running == nil {
            if let lastAttempt, lastAttempt <= now, now - lastAttempt < Self.minimumInterval { throw Self.unavailable }
            lastAttempt = now
        }
        let task = running ?? Task { [issuer, transport] in try await Self.address(of: issuer, transport) }
        running = task
        defer { running = nil }
        guard let address = try? await task.value else { throw Self.unavailable }
        return cache.withLock { cache in
            if let cache { return cache }
            let found = JWKSetCache(uri: address, transport: transport, clock: clock)
            cache = found
            return found
        }
    }

    private static func address(of issuer: URI, _ transport: any HTTPTransport) async throws -> URI {
        // RFC 8414 section 6.1: without TLS, an attacker on the network path could name keys of their own.
        guard issuer.isHTTPSOrLoopback else { throw unavailable }
        for place in try WellKnownURI.metadataLocations(of: issuer) {
            let request = HTTPRequest(target: place.description, fields: ["Accept": "application/json"])
            let response = try await transport.send(request, maximumBodySize: maximumSize)
            guard response.status == 200, let object = try? JSONValue(parsing: response.body).objectValue,
                let named = object["issuer"]?.stringValue, named.utf8.elementsEqual(issuer.description.utf8),
                let address = object["jwks_uri"]?.stringValue.flatMap({ try? URI(parsing: $0) }),
                address.scheme == "https" || address.scheme == issuer.scheme && address.isLoopbackIPLiteral
            else { continue }
            return address
        }
        throw unavailable
    }

    private static var unavailable: OAuthCoreError {
        OAuthCoreError(.keysUnavailable, "the metadata of the issuer cannot be fetched at this moment")
    }
}
