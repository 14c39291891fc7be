# SPDX-License-Identifier: Apache-2.0
"""Where the servers reject each attack, and how that rejection is taken out: the data of `scripts/attacks --prove`.

A row: the cases it belongs to, the file, the text that stands there exactly once, the text in its place. `{on}` in the new text is
true while one of the cases is tried. A case is the number of an attack, with a letter when the server rejects the attack in several
ways that are tried one by one; all rows of a case are on together. A file is named as in attack_list.py.

SHOWS: what a failed expectation says when the attack got through, for cases where that is not a response of success.
"""

# What a failed expectation says of a response of success: its status.
SUCCESS = r"(?:status|Status)(?: →)? (?:200|201|303)\b|→ (?:200|201|303)\b"

MATCH, BINDING, STATE = "RedirectURIMatch", "CheckCodeKeyBinding", "CodeState"
KEY, PARTIES = "DPoP/CheckPublicKey", "JOSE/JWTValidation+Claims"
DISCOVERY = "OAuthClient/ProtectedResourceDiscovery"
GUARD = "ResourceServer/CheckConfirmation"
# A key that nobody has, where a proof brings none that can be used.
ANY_KEY = '["kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"]'
CHALLENGE = '"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"'


def returns(cases, file, before):
    """A check whose whole body is one rejection: it returns at once."""
    return (cases, file, before, "if {on} { return }\n        " + before)


def returns_nil(cases, file, before):
    """A limit that nobody reaches."""
    return (cases, file, before, "if {on} { return nil }\n        " + before)


ROWS = [
    # PKCE
    ("1 4 12", "CheckCodeChallenge", 'guard let challenge = try request.parameter("code_challenge") else {', f'guard let challenge = try request.parameter("code_challenge") ?? ({{on}} ? {CHALLENGE} : nil) else {{'),
    ("1 2 3 12", "PKCE/CodeChallenge", "let method = method.map { CodeChallengeMethod(rawValue: $0) } ?? .plainWithoutProtection", "let method = {on} ? .s256 : method.map { CodeChallengeMethod(rawValue: $0) } ?? .plainWithoutProtection"),
    ("5 6", "PKCE/CodeChallenge", "guard value.utf8.count == 43, let digest", "guard {on} || value.utf8.count == 43, let digest"),
    ("5 6", "PKCE/CodeChallenge", "= try? Base64URL.decode(value), digest.count == 32", "= {on} ? [UInt8](repeating: 0, count: 32) : (try? Base64URL.decode(value)), digest.count == 32"),
    ("7", "CheckCodeVerifier", "let challenge = request.code.codeChallenge", 'if {on}, try request.parameter("code_verifier") == nil { return }\n        let challenge = request.code.codeChallenge'),
    ("8 13", "CheckCodeVerifier", "try challenge.verify(CodeVerifier(text))", "let verifier = try CodeVerifier(text)\n            if !{on} { try challenge.verify(verifier) }"),
    ("9 10", "PKCE/CodeVerifier", "guard (43...128).contains(text.utf8.count) else", "guard {on} || (43...128).contains(text.utf8.count) else"),
    ("11", "PKCE/CodeVerifier", "guard text.utf8.allSatisfy(UnreservedCharacter.includes) else", "guard {on} || text.utf8.allSatisfy(UnreservedCharacter.includes) else"),
    ("14", "MemoryAuthorizationStorage+Grants", "guard !challenges.contains(code.challenge) else", "guard {on} || !challenges.contains(code.challenge) else"),
    # Codes and redirects
    ("15 16 122b", STATE, "if usedBy != nil { return .replayed }", "if usedBy != nil, !{on} { return .replayed }"),
    ("15b 17", STATE, "if isRevoked { return .unknown }", "if isRevoked || (usedBy != nil && {on}) { return .unknown }"),
    ("18", "CheckCode", "guard let code = reads.code, code.clientID", "guard let code = reads.code, {on} || code.clientID"),
    ("19", STATE, "return now < expiresAt ? .first", "return {on} || now < expiresAt ? .first"),
    ("20", STATE, "package func redemption(by attempt: WriteAttempt, at now: Timestamp) -> CodeRedemption {", "package func redemption(by attempt: WriteAttempt, at now: Timestamp) -> CodeRedemption {\n        if {on} { return .first }"),
    ("20 111", "MemoryAuthorizationStorage+Grants", "guard let entry = grants[Key(id)], !entry.isRevoked else", "guard let entry = grants[Key(id)], {on} || !entry.isRevoked else"),
    returns("21 22", "CheckCodeRedirectURI", 'guard try request.requiredParameter("redirect_uri")'),
    ("23 30", "CheckRedirectURI", "guard registered.contains(where:", "guard {on} || registered.contains(where:"),
    ("24", MATCH, "sent.isIdentical(to: registered) ||", "sent.isIdentical(to: registered) || ({on} && sent.hasPrefix(registered)) ||"),
    ("25 26 27 29", MATCH, 'return registered.scheme == "http" && (registered.isLoopbackIPLiteral || registered.host == "localhost")', 'return ({on} || (registered.scheme == "http" && (registered.isLoopbackIPLiteral || registered.host == "localhost")))'),
    ("27", MATCH, "&& sent.scheme == registered.scheme", "&& ({on} || sent.scheme == registered.scheme)"),
    ("28 29", MATCH, "&& sent.path == registered.path", "&& ({on} || sent.path == registered.path)"),
    ("25", MATCH, "&& sent.userinfo == nil", "&& ({on} || sent.userinfo == nil)"),
    ("26", MATCH, "&& sent.fragment == nil", "&& ({on} || sent.fragment == nil)"),
    ("31", "CheckQuery", "guard !parameters.hasRepetition else", "guard {on} || !parameters.hasRepetition else"),
    ("31b", "CheckFormBody", "guard !parameters.hasRepetition else", "guard {on} || !parameters.hasRepetition else"),
    ("32", "RedirectURIRules", "guard let query = uri.query else", "guard let query = uri.query, !{on} else"),
    returns("33", "CheckResponseType", 'guard try request.requiredParameter("response_type") == "code" else'),
    ("34", "AuthorizationEndpoint", "return try await interaction(request)\n        } catch {", 'return try await interaction(request)\n        } catch {\n            if {on}, let to = (try? FormParameters(decoding: http.query ?? ""))?.values(for: "redirect_uri").first {\n                return .seeOther(to + "?error=x")\n            }'),
    # Pushed requests and metadata
    ("35", "MemoryAuthorizationStorage+Grants", "if issuance == .issued { tables.requests", "if issuance == .issued, !{on} { tables.requests"),
    ("36", "MemoryAuthorizationStorage+Requests", "$0.usedBy == nil && now < $0.record.expiresAt ? $0.record", "$0.usedBy == nil && ({on} || now < $0.record.expiresAt) ? $0.record"),
    ("37", "AuthorizationEndpoint", "guard clientID.isIdentical(to: pending.client.clientID) else", "guard {on} || clientID.isIdentical(to: pending.client.clientID) else"),
    returns("38", "CheckNoRequestURI", 'guard request.parameters.values(for: "request_uri").isEmpty else'),
    ("39 47 115", "CheckClientAuthentication", "isShown, client.tokenEndpointAuthMethod == credentials.method,", "isShown, {on} || client.tokenEndpointAuthMethod == credentials.method,"),
    ("115", "CheckClientAuthentication", "case .nothing: audience == .everyClient", "case .nothing: {on} || audience == .everyClient"),
    ("40 63", "Endpoint", 'guard let action = actions[request.method == "HEAD" && allowsHead ? "GET" : request.method] else', 'guard let action = actions[request.method == "HEAD" && allowsHead ? "GET" : request.method] ?? ({on} ? actions["POST"] : nil) else'),
    ("41", "CheckPushedRequestRequired", "guard !isRequired else", "guard {on} || !isRequired else"),
    ("42", "AuthorizationEndpoint", "else { throw .requestGone }\n        return pending", 'else { throw .requestGone }\n        if {on}, let text = try request.parameter("scope"), let scope = try? Scope(parsing: text) {\n            var changed = pending.request\n            changed.scope = scope\n            return PendingAuthorization(\n                uri: pending.uri,\n                checked: CheckedAuthorizationRequest(request: changed, client: pending.client, createdAt: pending.createdAt),\n                browser: pending.browser\n            )\n        }\n        return pending'),
    ("43", "CheckPushedKey", "guard expected == nil || expected == proof.thumbprint else", "guard {on} || expected == nil || expected == proof.thumbprint else"),
    ("44", "CheckRequestObject", "guard let claims = try? validation.validate(text, with: client.jwks, at: request.now),", "guard let claims = {on} ? (try? JWTClaims(CompactJWS(parsing: text).payloadObject())) : (try? validation.validate(text, with: client.jwks, at: request.now)),"),
    ("45", "AuthorizationRedirect", 'parameters.append("iss"', 'if !{on} { parameters.append("iss"'),
    ("45", "AuthorizationRedirect", "services.configuration.issuer.description)", "services.configuration.issuer.description) }"),
    ("46", "MetadataEndpoint", ".publicJSON(metadata.json)\n", 'if {on}, let host = request.fields["Host"] {\n            var object = metadata.json\n            object["issuer"] = .string("https://" + host)\n            return .publicJSON(object)\n        }\n        return .publicJSON(metadata.json)\n'),
    ("46b", "AuthorizationEngine", "for field in fieldsOfEveryResponse.all where", 'if {on} { response.fields["Access-Control-Allow-Origin"] = "*" }\n            for field in fieldsOfEveryResponse.all where'),
    # Token endpoint, client authentication, refresh
    ("48", "ClientCredentials", "guard [!fields.isEmpty, secret != nil, assertion != nil].count(where: \\.self) <= 1, fields.count <= 1 else", "guard {on} || ([!fields.isEmpty, secret != nil, assertion != nil].count(where: \\.self) <= 1 && fields.count <= 1) else"),
    ("49", "CheckFormBody", "guard request.http.query == nil else", "guard {on} || request.http.query == nil else"),
    ("50", PARTIES, "guard claims.audience.contains(where: isExpected) else", "guard {on} || claims.audience.contains(where: isExpected) else"),
    ("51", "ServerStorage/SingleUseTable", "if let entry = recording.assertion, isUsed(entry", "if let entry = recording.assertion, !{on}, isUsed(entry"),
    ("52", PARTIES, "guard now < expiresAt + leeway else", "guard {on} || now < expiresAt + leeway else"),
    ("53", "JOSE/JWTValidation", "guard algorithms.contains(jws.algorithm) else", "guard {on} || algorithms.contains(jws.algorithm) else"),
    ("54", "CheckRefreshToken", "refreshToken.clientID.isIdentical(to: request.client.clientID)", "{on} || refreshToken.clientID.isIdentical(to: request.client.clientID)"),
    ("55", "CheckRefreshScope", "guard let scope = try? Scope(parsing: text), scope.isSubset(of: granted) else", "guard let scope = try? Scope(parsing: text), {on} || scope.isSubset(of: granted) else"),
    ("56 57", "RefreshTokenState+Rotation", "if token == current.hash { return now", "if {on} { return .rotated }\n        if token == current.hash { return now"),
    ("56b", "RefreshTokenState+Rotation", "else { return .reused }", "else { return {on} ? .unknown : .reused }"),
    ("58", "CheckRefreshKeyBinding", "guard proof.thumbprint == expected else", "guard {on} || proof.thumbprint == expected else"),
    ("59", "CheckRefreshKeyBinding", "guard let proof = request.proof else {", "if {on}, request.proof == nil { return }\n        guard let proof = request.proof else {"),
    ("60", "GrantedTokens", "tokenType: request.proof == nil ? .bearer", "tokenType: {on} || request.proof == nil ? .bearer"),
    ("60b", "GrantedTokens", "let thumbprint = request.proof?.thumbprint", "let thumbprint = {on} ? nil : request.proof?.thumbprint"),
    ("60c", "NewRefreshToken", "dpopThumbprint: Self.isBoundToKey(", "dpopThumbprint: !{on} && Self.isBoundToKey("),
    returns("61 62", "CheckGrantType", "let client = request.client"),
    ("62", "TokenEndpoint", 'case "client_credentials": try await grantToClient(request)', 'case "client_credentials": try await grantToClient(request)\n                case "password" where {on}: try await grantToClient(request)'),
    ("64", "FormBody", "guard request.fields.hasMediaType(FormParameters.mediaType) else", "guard {on} || request.fields.hasMediaType(FormParameters.mediaType) else"),
    ("64b", "FormBody", "request.body, maximumCount: 64)", "request.body, maximumCount: {on} ? 5000 : 64)"),
    # Proofs
    ("65", "DPoP/CheckSingleField", "guard fieldValues.count == 1, value", "guard {on} || fieldValues.count == 1, value"),
    ("66", "DPoP/CheckSingleField", "guard let value = fieldValues.first else {", "guard let value = {on} ? fieldValues.first.map({ String($0.prefix { $0 != \",\" }) }) : fieldValues.first else {"),
    ("67", "CheckProof", "guard !fields.isEmpty else {", "guard !fields.isEmpty, !({on} && fields.count > 1) else {"),
    ("68", "DPoP/CheckWellFormed", "try EncodedJWS(value, maximumLength", 'try EncodedJWS({on} ? value.split(separator: ".", omittingEmptySubsequences: false).prefix(3).joined(separator: ".") : value, maximumLength'),
    returns("69 112 113", "DPoP/CheckType", 'guard header.isString("typ", "dpop+jwt")'),
    ("70 71", "DPoP/CheckAlgorithm", "guard policy.algorithms.contains(algorithm) else", "guard {on} || policy.algorithms.contains(algorithm) else"),
    ("70 71 72 73 75 76", KEY, "guard key.fits(algorithm) else", "guard {on} || key.fits(algorithm) else"),
    ("70 71 72 73 75 76 77 79", "DPoP/CheckSignature", "guard isSigned else", "guard {on} || isSigned else"),
    ("72 73 75 76", KEY, 'guard let object = header.object("jwk") else', f'guard let object = {{on}} && (try? JWK(parsingUnchecked: header.object("jwk") ?? [:]))?.fits(algorithm) != true ? {ANY_KEY} : header.object("jwk") else'),
    ("76", "DPoP/CheckAlgorithm", "static func run(_ algorithm: SignatureAlgorithm, policy: ProofPolicy) throws(DPoPError) {", "static func run(_ algorithm: SignatureAlgorithm, policy: ProofPolicy) throws(DPoPError) {\n        if {on} { return }"),
    ("74", KEY, "key = try JWK(parsingUnchecked: object)", 'var object = object\n            if {on} { for name in ["d", "p", "q", "dp", "dq", "qi", "oth", "k"] { object[name] = nil } }\n            key = try JWK(parsingUnchecked: object)'),
    ("78", "JOSE/JWSHeader", 'guard !object.hasMember("crit"), !object.hasMember("b64") else', 'guard {on} || (!object.hasMember("crit") && !object.hasMember("b64")) else'),
    ("80", "DPoP/DPoPProofVerifier", "replayKey: proof.claims.replayKey(of: proof.header.thumbprint),", "replayKey: {on} ? ReplayKey(owner: proof.header.thumbprint, jti: proof.jws.signature.description) : proof.claims.replayKey(of: proof.header.thumbprint),"),
    ("81", "DPoP/CheckWellFormed", "static func run(_ value: String, maximumLength: Int, _ headers: HeaderCache) throws(DPoPError) -> Token {", 'static func run(_ value: String, maximumLength: Int, _ headers: HeaderCache) throws(DPoPError) -> Token {\n        let value = {on} ? String(value.prefix { $0 != "=" }) : value'),
    ("82", "DPoP/ProofClaims", "try Self.checkIdentifier(payload, at: places.jti)", "if !{on} { try Self.checkIdentifier(payload, at: places.jti) }"),
    returns("83", "DPoP/CheckMethod", "guard claims.isMethod(method) else"),
    returns("84 85 86", "DPoP/CheckTargetURI", "// Most clients send the normalized form."),
    ("87", "DPoP/ProofClaims", 'guard let time = try payload.optionalDate("iat", at: issuedAt) else {', 'guard let time = try {on} ? Timestamp(secondsSince1970: 1_790_000_000) : payload.optionalDate("iat", at: issuedAt) else {'),
    returns("87 88", "DPoP/CheckFreshness", "guard nonceAge == nil else { return }"),
    returns("89", "DPoP/CheckAccessTokenHash", "guard let accessToken else { return }"),
    ("90 91", "DPoP/CheckReplay", "switch insertion {", "if {on} { return }\n        switch insertion {"),
    ("92", "DPoP/DPoPProofVerifier", "return claims.issuedAt + (policy.maximumAge + margin)", "return {on} ? now + margin : claims.issuedAt + (policy.maximumAge + margin)"),
    ("93", "DPoP/ReplayKey", "for index in owner.indices { unsafe input[index] = owner[index] }", "for index in owner.indices { unsafe input[index] = {on} ? 0 : owner[index] }"),
    ("94", "DPoP/ReplayTable", "guard tally.count < limit, reserve() else", "guard {on} || tally.count < limit, reserve() else"),
    ("95", "CheckProof", "return ProvenRequest(base: request, proof: proof)", "if {on} { _ = try? await services.replay.store(in: services.storage, services.entropy).insert(proof.replayKey, until: proof.retainUntil, now: request.now) }\n            return ProvenRequest(base: request, proof: proof)"),
    ("96", "DPoP/CheckNonce", "guard policy.nonces != .off else", "guard policy.nonces != .off, !{on} else"),
    ("97 105 114", "DPoP/CheckKeyBinding", "guard let expected, thumbprint != expected else", "guard let expected, thumbprint != expected, !{on} else"),
    ("98", "StrictJSON/JSONScanner", "guard !names.mayRepeat || hasUniqueNames(object) else", "guard {on} || !names.mayRepeat || hasUniqueNames(object) else"),
    # Binding, and APIs
    ("99", BINDING, "guard proof.thumbprint == expected else", "guard {on} || proof.thumbprint == expected else"),
    ("100", BINDING, "guard let proof = request.proof else {", "if {on}, request.proof == nil { return }\n        guard let proof = request.proof else {"),
    ("101", "CheckDPoPThumbprint", "guard let thumbprint = try? JWKThumbprint(text) else {", "guard let thumbprint = try? JWKThumbprint(text) else {\n            if {on} { return draft }"),
    ("102", "CheckProof", "guard isRequired == .never || !mustBeBound else", "guard {on} || isRequired == .never || !mustBeBound else"),
    ("103", GUARD, "guard !presented.isBearer else", "guard {on} || !presented.isBearer else"),
    ("104", "ResourceServer/CheckCredentials", "guard values.count <= 1, !hasTokenElsewhere(request) else", "guard values.count <= 1, {on} || !hasTokenElsewhere(request) else"),
    ("105 114", GUARD, "let thumbprint = try? JWKThumbprint(text)\n        else {", f"let thumbprint = try? JWKThumbprint(text)\n        else {{\n            if {{on}}, let any = try? JWKThumbprint({CHALLENGE}) {{ return .key(any) }}"),
    ("106", "ResourceServer/CheckCredentials", "let values = request.fields.values(for: \"Authorization\")", 'var values = request.fields.values(for: "Authorization")\n        if {on} { values = Array(values.prefix(1)) }'),
    ("107", PARTIES, "func checkParties(of claims: JWTClaims) throws(JOSEError) {", "func checkParties(of claims: JWTClaims) throws(JOSEError) {\n        if {on} { return }"),
    ("108", PARTIES, "guard claims.issuer?.isIdentical(to: issuer) ?? false else", "guard {on} || (claims.issuer?.isIdentical(to: issuer) ?? false) else"),
    ("108b", "JOSE/JWTValidation", "guard isAccepted else", "guard {on} || isAccepted else"),
    ("109", "ResourceServer/SignedAccessTokens", "guard let jws = try? CompactJWS(parsing: accessToken) else { return nil }", "guard let jws = try? CompactJWS(parsing: accessToken) else { return nil }\n        if {on} { return try? JWTClaims(jws.payloadObject()) }"),
    ("110", PARTIES, "func checkTimes(of claims: JWTClaims, at now: Timestamp) throws(JOSEError) {", "func checkTimes(of claims: JWTClaims, at now: Timestamp) throws(JOSEError) {\n        if {on} { return }"),
    ("116", "IntrospectionEndpoint", "guard isOwn || isForItsAPI, let", "guard {on} || isOwn || isForItsAPI, let"),
    ("117", "RevocationEndpoint", "return stored.clientID.isIdentical(to: client.clientID) ? stored.grantID : nil", "return {on} || stored.clientID.isIdentical(to: client.clientID) ? stored.grantID : nil"),
    ("118", DISCOVERY, "guard matching.accepts(document.resource, for: resource) else", "guard {on} || matching.accepts(document.resource, for: resource) else"),
    # Devices, pages, browser
    ("119", "DeviceCodeState", "return elapsed < .zero || elapsed", "return {on} || elapsed < .zero || elapsed"),
    ("120", "CheckDeviceCode", "device.clientID.isIdentical(to: request.client.clientID)", "{on} || device.clientID.isIdentical(to: request.client.clientID)"),
    ("120b", "CheckDeviceKeyBinding", "guard proof.thumbprint == expected else", "guard {on} || proof.thumbprint == expected else"),
    ("121", "UserCodeLimiter", "if let wait = accounts.take(", "if {on} { return Count(wait: nil, raisesAlarm: false) }\n        if let wait = accounts.take("),
    ("122", "DeviceCodeState", "if deniedBy != nil { return .denied }", "if deniedBy != nil, !{on} { return .denied }"),
    ("123", "BrowserForm", "ConstantTime.areEqual(token, cookie.csrfToken(for: reference))", "{on} || ConstantTime.areEqual(token, cookie.csrfToken(for: reference))"),
    ("124", "BrowserForm", 'if let origin = request.fields["Origin"], origin', 'if !{on}, let origin = request.fields["Origin"], origin'),
    ("124b", "PendingSignIn", "guard request.browserHash == nil ||", "guard {on} || request.browserHash == nil ||"),
    ("125", "HTTPResponse+Page", "\"frame-ancestors 'none'; base-uri 'none'\"", "({on} ? \"\" : \"frame-ancestors 'none'; \") + \"base-uri 'none'\""),
    ("126", "HTTPResponse+Protocol", "status: 303,", "status: {on} ? 307 : 303,"),
    ("127", "HTMLText", "guard text.utf8.contains(where:", "guard !{on}, text.utf8.contains(where:"),
    returns_nil("128", "LoginAttempt", "if let wait = services.limiters.login.take(address, at: now) {"),
    ("129", "AuthenticationRequirement", "guard isStrongEnough else", "guard {on} || isStrongEnough else"),
    ("130", "ReadRegistrationToken", "$0.registrationPolicy(of: hash, at: now) }", "$0.registrationPolicy(of: hash, at: now) } ?? ({on} ? RegistrationTokenPolicy() : nil)"),
    ("130", "MemoryAuthorizationStorage+RegistrationTokens", "guard tables.usableToken(tokenHash, at: now) != nil else", "guard {on} || tables.usableToken(tokenHash, at: now) != nil else"),
    ("130b", "RegistrationPolicy", "try RedirectURIRules.check(text, of: type)", "if !{on} { try RedirectURIRules.check(text, of: type) }"),
    ("130b", "ClientRules", "for uri in client.redirectURIs { try", "for uri in client.redirectURIs where !{on} { try"),
    ("130c", "RegistrationPolicy", "guard !isThere else", "guard {on} || !isThere else"),
    ("131", "UserCodeLimiter", "let suspicion = suspects.take(", "if {on}, let wait = everybody.take(true, at: now) { return Count(wait: wait, raisesAlarm: false) }\n        let suspicion = suspects.take("),
    ("131b", "DeviceVerificationEndpoint", "guard let user = try await user(in: cookie, at: now) else {", 'guard let user = try await user(in: cookie, at: now) ?? ({on} ? UserAccount(subject: "guest", username: "guest", passwordHash: PasswordHash(ofNothing: services.entropy), createdAt: now) : nil) else {'),
    # Clients that no operator knows
    ("132", "ClientDocument", "guard response.status == 200 else", "guard {on} || response.status == 200 else"),
    ("133", "ClientDocuments", 'throw .clientDocument("it cannot be fetched")', 'throw .clientDocument({on} ? error.reason : "it cannot be fetched")'),
    ("134", "ClientDocumentURL", 'guard uri.scheme == "https" ||', 'guard {on} || uri.scheme == "https" ||'),
    ("134", "ClientDocumentURL", "guard uri.userinfo == nil,", "guard {on} || uri.userinfo == nil,"),
    ("134", "OutgoingRequests", "guard isLoopback || ports", "guard {on} || isLoopback || ports"),
    ("134", "ClientDocumentURL", 'guard !segments.contains("."), !segments', 'guard {on} || !segments.contains("."), {on} || !segments'),
    ("135", "ClientDocument", "static let maximumSize = 5120", "static let maximumSize = {on} ? 1 << 20 : 5120"),
    ("136", "OutgoingRequests", "pausedUntil[host] = now + Self.pauseAfterFailure", "if !{on} { pausedUntil[host] = now + Self.pauseAfterFailure }"),
    ("137", "ClientDocument", 'guard let clientID = object["client_id"]?.stringValue, clientID.isIdentical(to: url.text) else {', 'guard let clientID = object["client_id"]?.stringValue, {on} || clientID.isIdentical(to: url.text) else {'),
    ("138", "ClientDocument", 'for name in ["client_secret", "client_secret_expires_at"] where object[name] != nil {', 'for name in ["client_secret", "client_secret_expires_at"] where !{on} && object[name] != nil {'),
    ("139", "ClientDocument", "guard uri.host?.lowercased() == url.host.lowercased() else", "guard {on} || uri.host?.lowercased() == url.host.lowercased() else"),
    ("140", "Interaction", "documentHost: pending.client.origin == .document", "documentHost: !{on} && pending.client.origin == .document"),
    ("141", "ClientDocumentPolicy", "hosts.contains { $0.utf8", "{on} || hosts.contains { $0.utf8"),
    ("142", "OutgoingRequests", "if let wait = limiter.take(address, at: now)", "if !{on}, let wait = limiter.take(address, at: now)"),
    ("143", "OutgoingRequests", "if let task = running[uri.description]", "if !{on}, let task = running[uri.description]"),
    ("144", "CheckRegistrationToken", "guard rules.isRegistrationOpen, request", "guard {on} || rules.isRegistrationOpen, {on} || request"),
    ("145", "CheckRegistrationToken", "if let wait = services.limiters.registration", "if !{on}, let wait = services.limiters.registration"),
    ("146", "RegistrationPolicy", "let isBound = request.dpopBoundAccessTokens ?? bindsUnlessAsked", "if {on} { return false }\n        let isBound = request.dpopBoundAccessTokens ?? bindsUnlessAsked"),
    ("147", "CheckRequestObjectUse", "guard let object = request.clientRequest.requestObject else", "guard !{on}, let object = request.clientRequest.requestObject else"),
    ("148", "GrantedAccess", "let left = scope.intersection(client.scope)", "let left = {on} ? scope : scope.intersection(client.scope)"),
    ("149", "ErrorRedirect", "if configuration.errorRedirects == .always ||", "if {on} || configuration.errorRedirects == .always ||"),
]

SHOWS = {
    "14": r'callback\["(?:error|code)"\] →',
    "16": r"winners\.count → (?!1\b)\d+",
    "32": r"none was thrown",
    "40": r"status → (?!405)\d",
    "42": r"api:write",
    "45": r"iss",
    "46": r"evil\.example",
    "46b": r"Access-Control-Allow-Origin",
    "57": r"count → (?!1\b)\d+",
    "60": r"Bearer",
    "60b": r"cnf|jkt",
    "63": r"status → (?!405)\d",
    "93": r"→ 40[01]\b",
    "94": r"statuses → \[200, 200, 200, 200",
    "95": r"→ 40[01]\b",
    "111": r'"active":true',
    "116": r"active",
    "117": r"→ 400\b",
    "118": r"none was thrown",
    "119": r"authorization_pending",
    "121": r"status → (?:400|303)",
    "122": r"authorization_pending|expired_token",
    "125": r"frame-ancestors",
    "126": r"307",
    "127": r"script|img",
    "128": r"→ (?:403|303)\b",
    "129": r"h1|Allow|→ 303",
    "131": r"→ 429",
    "131b": r"Location",
    "133": r"address",
    "134": r"count → [1-9]",
    "136": r"→ 400",
    "140": r"chose",
    "142": r"statuses →|count →",
    "143": r"statuses →|429",
    "148": r"json\[\"scope\"\] == \"api:read\" → false",
}
