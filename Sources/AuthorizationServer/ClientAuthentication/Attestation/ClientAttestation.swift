// SPDX-License-Identifier: Apache-2.0

import JOSE
import OAuthCore
import OAuthSystem
import StrictJSON

/// A verified client attestation: an attester says that a key belongs to a genuine copy of a client.
///
/// It proves nothing by itself: ``CheckAttestedKey`` demands a proof of that key.
///
/// ## Specification
///
/// draft-ietf-oauth-attestation-based-client-auth-11 sections 4 and 7.1
struct ClientAttestation: Sendable {
    /// In characters; a longer one is rejected before decoding.
    static let maximumLength = 8192
    /// How far the clocks of attester and server may differ.
    static let leeway = Duration.seconds(60)

    /// The attester that signed it.
    let attester: String
    /// The thumbprint of the key in `cnf`: one for each installation of the client.
    let thumbprint: JWKThumbprint

    /// Verifies an attestation for a client.
    ///
    /// Only pinned keys count; `jwk`, `jku`, `x5u` and `x5c` are not read (section 10.8).
    init(
        _ text: String,
        for clientID: String,
        by attesters: [TrustedAttester],
        at now: Timestamp
    ) throws(ProtocolFailure) {
        guard let jws = try? CompactJWS(parsing: text, maximumLength: Self.maximumLength) else {
            throw .attestationRefused(.malformed)
        }
        let keyID = jws.header["kid"]?.stringValue ?? ""
        guard !keyID.isEmpty else { throw .attestationRefused(.attester) }
        // Attesters of one client that use the same `kid` are told apart by the signature.
        let candidates = attesters.filter { $0.speaks(for: clientID) && $0.hasKey(named: keyID) }
        var failure = ProtocolFailure.attestationRefused(.attester)
        for attester in candidates {
            do throws(ProtocolFailure) {
                let claims = try Self.claims(text, of: jws, for: clientID, by: attester, at: now)
                try self.init(claims, by: attester, at: now)
                return
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private init(_ claims: JWTClaims, by attester: TrustedAttester, at now: Timestamp) throws(ProtocolFailure) {
        guard let issuedAt = claims.issuedAt, now - issuedAt <= attester.maximumAge + Self.leeway else {
            throw .attestationRefused(.age, of: attester.name)
        }
        // A JWK with a private member is no JWK here (section 7.1, rule 5).
        guard let confirmation = claims.object["cnf"]?.objectValue, let member = confirmation["jwk"]?.objectValue,
            let key = try? JWK(parsing: member)
        else { throw .attestationRefused(.key, of: attester.name) }
        self.attester = attester.name
        thumbprint = key.thumbprint
    }

    private static func claims(
        _ text: String,
        of jws: CompactJWS,
        for clientID: String,
        by attester: TrustedAttester,
        at now: Timestamp
    ) throws(ProtocolFailure) -> JWTClaims {
        let validation = JWTValidation.clientAttestation(
            clientID: clientID,
            algorithms: attester.usableAlgorithms,
            leeway: leeway,
            maximumLength: maximumLength
        )
        do {
            return try validation.validate(text, with: attester.keys, at: now)
        } catch {
            throw .attestationRefused(reason(of: error, jws, for: clientID), of: attester.name)
        }
    }

    private static func reason(of error: JOSEError, _ jws: CompactJWS, for clientID: String) -> AttestationRefusal {
        switch error.code {
        case .expired: return .expired
        case .algorithmNotAllowed, .keyNotFound, .invalidSignature: return .signature
        default: break
        }
        let subject = (try? jws.payloadObject())?["sub"]?.stringValue
        return subject?.isIdentical(to: clientID) ?? true ? .malformed : .client
    }
}
