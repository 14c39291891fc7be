// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import OAuthCrypto
import StrictJSON

@testable import AuthorizationServer

extension HTTPResponse {
    /// Whether a page has and allows no script, or only that of pages with a form.
    var allowsNoScriptButItsOwn: Bool {
        guard let page = try? PageReader(text), let policy = fields["Content-Security-Policy"] else { return false }
        let directives = policy.split(separator: ";").map { $0.drop { $0 == " " } }
        let allowed = directives.filter { $0.hasPrefix("script") }.map(String.init)
        let scripts = page.all("script").map(\.text)
        guard !scripts.isEmpty else { return allowed.isEmpty }
        let hash = Base64.encode(SHA256.hash(Array(SubmitGuard.script.utf8)).bytes)
        return scripts == [SubmitGuard.script] && allowed == ["script-src 'sha256-\(hash)'"]
    }
}
