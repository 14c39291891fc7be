// SPDX-License-Identifier: Apache-2.0

import Gateway
import HTTPMessage
import OAuthCore
import OAuthSystem
import StrictJSON

/// Tries, without a token, to get past the gateway in front of a protected URL.
///
/// Every attempt is a request that the gateway must treat like the same request without the attempt. What a proxy must
/// not pass on would change the answer: a made-up `X-Forwarded-Uri` with two slashes turns 401 into 400.
struct GatewayCheck {
    private let url: CheckedURL
    private let echoPath: String?
    /// What no answer may contain, as the value of fields that a proxy must remove.
    private let marker: String

    init(_ url: CheckedURL, echoPath: String?, entropy: any Entropy = SystemEntropy()) {
        self.url = url
        self.echoPath = echoPath
        marker = Self.marker(entropy)
    }

    /// A word that no API says by itself.
    static func marker(_ entropy: any Entropy) -> String {
        "mark" + Base64URL.encode(entropy.bytes(9))
    }

    func findings() async throws -> [GatewayFinding] {
        let answer: HTTPResponse
        do {
            answer = try await url.send(url.path)
        } catch {
            throw CommandFailure(.unavailable, "\(SafeText.of(url.address)): \(error.reason)")
        }
        var findings = baseline(answer)
        guard answer.status == 401 else { return findings }
        for (name, fields) in Self.attempts { findings.append(await unchanged(name, fields)) }
        for (name, suffix) in Self.ambiguousPaths { findings.append(await refused(name, suffix)) }
        findings.append(await trace())
        findings.append(await change())
        findings.append(await metadata())
        for path in ["/check", "/check/nginx", "/_keybound"] { findings.append(await hidden(path)) }
        if let echoPath { findings += await stripping(echoPath) + [listing(echoPath), changeAtAPI(echoPath)] }
        return findings
    }

    // MARK: The attempts

    /// What a client must not be able to say in the name of the proxy.
    private static let attempts: [(String, HTTPFields)] = [
        ("X-Forwarded-Uri of the client", ["X-Forwarded-Uri": "//x"]),
        ("X_Forwarded_Uri of the client", ["X_Forwarded_Uri": "//x"]),
        ("X-Forwarded-Host of the client", ["X-Forwarded-Host": "evil.invalid"]),
        ("X-Forwarded-Proto of the client", ["X-Forwarded-Proto": "gopher"]),
        ("X-Forwarded-Method of the client", ["X-Forwarded-Method": "get"]),
        (
            "identity of the client",
            ["X-Keybound-Subject": "root", "X_Keybound_Subject": "root", "X.Keybound.Subject": "root"]
        ),
        (
            "method and path override",
            ["X-HTTP-Method-Override": "OPTIONS", "X-Original-URL": "/", "X-Rewrite-URL": "/"]
        ),
        ("a made-up bearer token", ["Authorization": "Bearer made-up"]),
        ("a made-up token with a made-up proof", ["Authorization": "DPoP made-up", "DPoP": "a.b.c"]),
    ]

    private static let ambiguousPaths = [
        ("an encoded slash", "/a%2Fb"), ("encoded dot segments", "/%2e%2e/a"), ("two slashes", "//a"),
        ("a path parameter", ";a"), ("an encoded percent", "/%252e"), ("an encoded backslash", "/%5Ca"),
        ("dot segments with a parameter", "/..;/a"), ("an overlong encoding", "/%C0%AFa"),
    ]

    private func baseline(_ answer: HTTPResponse) -> [GatewayFinding] {
        guard answer.status == 401 else {
            let isOpen = (200..<300).contains(answer.status)
            let advice = isOpen ? "the URL is not protected" : "name a URL that needs a token"
            let detail = "the answer is \(answer.status), not 401: \(advice)"
            return [GatewayFinding("a request without a token", isOpen ? .weak(detail) : .unknown(detail))]
        }
        let challenges = answer.fields.values(for: "WWW-Authenticate")
        let hasChallenge =
            challenges.count == 1 && challenges[0].hasPrefix("DPoP ") && challenges[0].contains(text: "algs=")
        let exposed = answer.fields.values(for: "Access-Control-Expose-Headers").joined(separator: ",").lowercased()
        let isExposed = exposed.contains(text: "dpop-nonce") && exposed.contains(text: "www-authenticate")
        let isNotStored = answer.fields.values(for: "Cache-Control").contains { $0.contains(text: "no-store") }
        return [
            GatewayFinding("a request without a token", .good),
            GatewayFinding(
                "the challenge",
                hasChallenge
                    ? .good : .weak("the response must have exactly one WWW-Authenticate field that begins with DPoP")
            ),
            GatewayFinding(
                "fields for scripts",
                isExposed ? .good : .weak("Access-Control-Expose-Headers lacks DPoP-Nonce or WWW-Authenticate")
            ),
            GatewayFinding(
                "no caching of refusals",
                isNotStored ? .good : .weak("there is no Cache-Control: no-store")
            ),
        ]
    }

    private func unchanged(_ name: String, _ fields: HTTPFields) async -> GatewayFinding {
        await attempt(name, url.path, fields) { answer in
            answer.status == 401
                ? .good : .weak("the answer is \(answer.status), not 401: the proxy passes on what the client wrote")
        }
    }

    private func refused(_ name: String, _ suffix: String) async -> GatewayFinding {
        let path = url.path.hasSuffix("/") ? String(url.path.dropLast()) : url.path
        return await attempt(name, path + suffix) { answer in
            switch answer.status {
            case 400, 403, 404: .good
            case 401: .weak("the answer is 401, not 400: the proxy rewrites the path before the check")
            default: .weak("the answer is \(answer.status), not 400")
            }
        }
    }

    private func trace() async -> GatewayFinding {
        await attempt("the method TRACE", url.path, method: "TRACE") { answer in
            (200..<300).contains(answer.status) ? .weak("the answer is \(answer.status)") : .good
        }
    }

    private func change() async -> GatewayFinding {
        await asking("a change to HTTP/2 (h2c)", url.path) { answer in
            switch answer.status {
            case 101: .tunnel
            case 400..<500, 501: .good
            case 500...: .unknown("the answer is \(answer.status), not 401")
            default: .weak("the answer is \(answer.status), not 401: the request passed")
            }
        }
    }

    /// An API that agrees would get requests that neither the proxy nor the gateway reads.
    private func changeAtAPI(_ path: String) async -> GatewayFinding {
        let name = "a change to HTTP/2 (h2c) at the API"
        let plain: HTTPResponse
        do {
            plain = try await url.sendOverHTTP1(path)
        } catch {
            return GatewayFinding(name, .unknown(error.reason))
        }
        return await asking(name, path) { answer in
            switch answer.status {
            case 101: .tunnel
            case 200 where CheckedURL.isAskedForHTTP2(answer, unlike: plain):
                .weak("the API gets what the client wrote")
            case 200, 400, 403, 501: .good
            default: .unknown("the answer is \(answer.status), not 200")
            }
        }
    }

    /// RFC 9110 section 7.6.1: a proxy behind this one would remove what the client lists, the user among it.
    private func listing(_ path: String) async -> GatewayFinding {
        let (name, listed) = ("Connection at the API", "listed-by-client")
        do {
            let answer = try await url.sendOverHTTP1(path, ["Connection": listed])
            switch answer.status {
            case 200 where String(decoding: answer.body, as: UTF8.self).contains(text: listed):
                return GatewayFinding(name, .weak("the API gets what the client wrote"))
            case 200, 400: return GatewayFinding(name, .good)
            default: return GatewayFinding(name, .unknown("the answer is \(answer.status), not 200"))
            }
        } catch {
            return GatewayFinding(name, .unknown(error.reason))
        }
    }

    private func hidden(_ path: String) async -> GatewayFinding {
        await attempt("the gateway's path \(path)", path, ["X-Forwarded-Host": "evil.invalid"]) { answer in
            // For nginx the gateway says 401, and the status that it means in a field.
            let meant = answer.fields[IdentityFields.status].map { $0 == String(answer.status) } ?? true
            return [401, 403, 404].contains(answer.status) && meant
                ? .good : .weak("the answer is \(answer.status): clients may be able to send check requests")
        }
    }

    private func metadata() async -> GatewayFinding {
        await attempt("metadata", GatewayEngine.metadataPath + url.path) { answer in
            let document = try? JSONValue(parsing: answer.body).objectValue
            guard answer.status == 200, let resource = document?["resource"]?.stringValue else {
                return .unknown(
                    "the answer is \(answer.status): clients cannot find the authorization server (RFC 9728)"
                )
            }
            return resource.utf8.elementsEqual(url.address.utf8) ? .good : .weak("it is about another URL")
        }
    }

    /// What no client may say to the API.
    static let strippedNames =
        IdentityFields.names + [
            "X_Keybound_Subject", "X-Keybound_Scope", "X.Keybound.Subject", "X~Keybound~Subject", "X-Rewrite-URL",
            "X-HTTP-Method-Override", "X_HTTP_Method_Override", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded",
        ]

    /// What reaches the API: with a path that returns the fields that it got.
    private func stripping(_ path: String) async -> [GatewayFinding] {
        var findings: [GatewayFinding] = []
        for name in Self.strippedNames {
            let fields = HTTPFields([HTTPFields.Field(name: name, value: marker)])
            findings.append(
                await attempt("\(name) at the API", path, fields) { answer in
                    guard answer.status == 200 else { return .unknown("the answer is \(answer.status), not 200") }
                    let text = String(decoding: answer.body, as: UTF8.self)
                    return text.contains(text: marker) ? .weak("the API gets what the client wrote") : .good
                }
            )
        }
        return findings
    }

    // MARK: Requests

    private func asking(
        _ name: String,
        _ path: String,
        judge: (HTTPResponse) -> GatewayFinding.Judgement
    ) async -> GatewayFinding {
        do {
            return GatewayFinding(name, judge(try await url.askForHTTP2(path)))
        } catch {
            return GatewayFinding(name, .unknown(error.reason))
        }
    }

    private func attempt(
        _ name: String,
        _ path: String,
        _ fields: HTTPFields = [:],
        method: String = "GET",
        judge: (HTTPResponse) -> GatewayFinding.Judgement
    ) async -> GatewayFinding {
        do {
            return GatewayFinding(name, judge(try await url.send(path, fields, method: method)))
        } catch {
            return GatewayFinding(name, .unknown(error.reason))
        }
    }
}
