// SPDX-License-Identifier: Apache-2.0

import OAuthSystem
import StrictJSON

/// Checks of the claims, made after the signature verified.
extension JWTValidation {
    func checkParties(of claims: JWTClaims) throws(JOSEError) {
        if let issuer {
            guard claims.issuer?.isIdentical(to: issuer) ?? false else {
                throw JOSEError(.invalidClaim, "'iss' is not the expected issuer")
            }
        }
        guard let audience else { return }
        guard claims.audience.contains(where: { isExpected($0, audience) }) else {
            throw JOSEError(.invalidClaim, "'aud' does not contain the expected audience")
        }
        switch audienceRule {
        case .contains: return
        case .string:
            guard claims.object["aud"]?.stringValue != nil else {
                throw JOSEError(.invalidClaim, "'aud' is not a string")
            }
        case .one:
            guard claims.audience.count == 1 else {
                throw JOSEError(.invalidClaim, "'aud' has more than one audience")
            }
        case .authorizedParty:
            let party = try claims.object.optionalString("azp")
            guard party?.isIdentical(to: audience) ?? (claims.audience.count == 1) else {
                throw JOSEError(.invalidClaim, "'azp' is not the expected audience")
            }
        }
    }

    private func isExpected(_ received: String, _ audience: String) -> Bool {
        if received.isIdentical(to: audience) { return true }
        guard case .one(let others) = audienceRule else { return false }
        return others.contains { $0.isIdentical(to: received) }
    }

    func checkPresence(in claims: JWTClaims) throws(JOSEError) {
        // Sorted, so that the same invalid token always reports the same claim.
        for name in requiredStrings.sorted() where claims.string(name)?.isEmpty ?? true {
            throw JOSEError(.invalidClaim, "'\(name)' is not a string, or empty")
        }
        for name in requiredTimes.sorted() {
            guard case .number? = claims.object[name] else {
                throw JOSEError(.invalidClaim, "'\(name)' is missing or no time")
            }
        }
        for (name, value) in requiredValues.sorted(by: { $0.key < $1.key }) {
            guard claims.string(name)?.isIdentical(to: value) ?? false else {
                throw JOSEError(.invalidClaim, "'\(name)' is not what was expected")
            }
        }
        for name in forbiddenClaims.sorted() where claims.object[name] != nil {
            throw JOSEError(.invalidClaim, "'\(name)' belongs to another kind of token")
        }
    }

    func checkTimes(of claims: JWTClaims, at now: Timestamp) throws(JOSEError) {
        guard let expiresAt = claims.expiresAt else { throw JOSEError(.invalidClaim, "'exp' is missing") }
        guard now < expiresAt + leeway else { throw JOSEError(.expired, "the token has expired") }
        if let maximumLifetime, expiresAt > now + maximumLifetime + leeway {
            throw JOSEError(.invalidClaim, "'exp' lies too far ahead")
        }
        if let notBefore = claims.notBefore, now + leeway < notBefore {
            throw JOSEError(.notYetValid, "the token is not valid yet")
        }
        if let issuedAt = claims.issuedAt, now + leeway < issuedAt {
            throw JOSEError(.notYetValid, "the token was issued in the future")
        }
        guard let maximumAge else { return }
        for start in [claims.issuedAt, claims.notBefore] {
            guard let start, now - start > maximumAge + leeway else { continue }
            throw JOSEError(.expired, "the token was issued too long ago")
        }
    }
}
