// SPDX-License-Identifier: Apache-2.0

import OAuthSystem

/// All issuers of a configuration.
extension GuardConfiguration {
    /// `iss` of each accepted issuer, that of ``issuer`` first.
    var issuers: [String] { [issuer] + furtherIssuers.map(\.issuer) }

    /// RFC 8725 section 3.8: an issuer with two entries could be verified with the keys of either.
    func checkIssuers() throws(ResourceServerError) {
        guard !furtherIssuers.isEmpty else { return }
        var earlier: [String] = []
        for issuer in issuers {
            guard !issuer.isEmpty, !earlier.contains(where: { $0.isIdentical(to: issuer) }) else {
                throw ResourceServerError(
                    .invalidConfiguration,
                    issuer.isEmpty ? "an issuer is empty" : "the issuer \(issuer) is listed twice"
                )
            }
            earlier.append(issuer)
        }
    }
}
