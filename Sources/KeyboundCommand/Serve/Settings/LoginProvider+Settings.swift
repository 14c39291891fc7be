// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer
import HTTPMessage
import JOSE
import StrictJSON

extension LoginProvider {
    /// The configured login system; `nil` without one.
    init?(_ settings: ServerSettings) throws {
        guard let address = settings.text(.loginURL) else {
            for setting in [Setting.loginKeys, .loginContexts] where settings.text(setting) != nil {
                throw CommandFailure.usage(
                    "\(settings.place(of: setting)) has no effect without \(Setting.loginURL.key)"
                )
            }
            return nil
        }
        guard let loginURL = try? URI(parsing: address) else {
            throw CommandFailure.usage(
                "\(settings.place(of: .loginURL)) is not an absolute URL",
                hint: "such as https://login.example.com/start"
            )
        }
        guard let path = settings.text(.loginKeys) else {
            throw CommandFailure.usage(
                "\(Setting.loginKeys.key) is missing",
                hint: "the login system signs its responses: a JWK set with its public keys is needed to verify them"
            )
        }
        let content = try settings.content(of: .loginKeys, at: path, limit: 1 << 16)
        guard let object = try? JSONValue(parsing: content).objectValue, let keys = try? JWKSet(parsing: object) else {
            throw CommandFailure.usage(
                "\(settings.place(of: .loginKeys)) names a file that is not a JWK set",
                hint: #"{ "keys": [ ... ] }"#
            )
        }
        let contexts = settings.text(.loginContexts)?.split(separator: " ").map(String.init) ?? []
        self.init(loginURL: loginURL, keys: keys, contexts: contexts)
    }
}
