// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPMessage
import OAuthCrypto
import OAuthSystem
import OAuthTransport

extension DoctorCheck {
    /// Certificates are renewed a month before their end, or a third of their time for short ones: less is a fault.
    private static let shortestValidity: Int64 = 14
    private static let day: Int64 = 86_400

    /// The certificate that clients of the issuer get: how long it is valid, for which name, and who vouches for it.
    static let certificate = DoctorCheck(.network, "certificate") { context in
        guard let issuer = try context.issuer, issuer.scheme == "https", let host = issuer.host else { return [] }
        // The check of the issuer says why there is no connection.
        guard let presented = try? await context.certificates(issuer.description), let first = presented.chain.first
        else { return [] }
        let certificate = try X509Certificate(pem: first)
        let now = context.clock.now()
        return [validity(of: certificate, at: now), name(of: certificate, host)]
            + authority(of: certificate, presented, at: now)
    }

    private static func validity(of certificate: X509Certificate, at now: Timestamp) -> DoctorFinding {
        guard let start = certificate.notBefore, let end = certificate.notAfter else {
            return .failure("the certificate of the issuer does not say how long it is valid", renewal)
        }
        guard start <= now else {
            return .failure(
                "the certificate of the issuer is not valid before \(TimeText.text(of: start))",
                "check the clock, or use the certificate before this one"
            )
        }
        guard now <= end else {
            return .failure("the certificate of the issuer expired: \(TimeText.words(end, at: now))", renewal)
        }
        let days = (end.secondsSince1970 - now.secondsSince1970) / day
        let text =
            "the certificate of the issuer expires in \(days) \(days == 1 ? "day" : "days")"
            + ", \(TimeText.text(of: end))"
        return days < shortestValidity ? .warning(text, renewal) : .good(text)
    }

    private static let renewal = "renew it, have the proxy load it, and find out why this does not happen automatically"

    private static func name(of certificate: X509Certificate, _ host: String) -> DoctorFinding {
        let host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        let shown = SafeText.of(host)
        guard !certificate.isFor(host) else { return .good("the certificate is for \(shown)") }
        let names = certificate.names
        let list = names.prefix(5).joined(separator: ", ") + (names.count > 5 ? " and \(names.count - 5) more" : "")
        return .failure(
            "the certificate is not for \(shown): "
                + (names.isEmpty ? "it names no server" : "it is for \(SafeText.of(list))"),
            "let the proxy use the certificate of \(shown), or get one that has this name"
        )
    }

    private static func authority(
        of certificate: X509Certificate,
        _ presented: PresentedCertificates,
        at now: Timestamp
    ) -> [DoctorFinding] {
        let count = presented.chain.count
        let issuer = SafeText.of(certificate.issuer)
        if presented.isTrusted { return [.good("the certificate is trusted: \(count) sent, issued by \(issuer)")] }
        // Said by its date already: an authority is looked for first, so there is one.
        if presented.verificationResult == X509Certificate.expired, certificate.isExpired(at: now) { return [] }
        let reason = presented.verificationResult.map(X509Certificate.reason) ?? "no reason given"
        return [
            .failure(
                "the certificate is not trusted: \(reason) (\(count) sent, issued by \(issuer))",
                "configure the proxy to send the intermediate certificates too (fullchain); "
                    + "for a private CA, set SSL_CERT_FILE"
            )
        ]
    }
}

extension X509Certificate {
    /// Whether it is past its end.
    fileprivate func isExpired(at now: Timestamp) -> Bool { notAfter.map { $0 < now } ?? false }
}
#endif
