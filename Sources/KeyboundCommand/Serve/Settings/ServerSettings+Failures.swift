// SPDX-License-Identifier: Apache-2.0

import AuthorizationServer

extension ServerSettings {
    /// What is wrong with a setting, after where it was given: `'lifetimes.session' in keybound.json: ...`.
    func failure(_ error: AuthorizationServerError, hint: String) -> CommandFailure {
        let failure = CommandFailure.usage(error.reason, hint: hint)
        guard let setting = Setting.all.first(where: { $0.key == error.setting }) else { return failure }
        return failure.about(place(of: setting))
    }

    /// The content of a file that a setting names.
    func content(of setting: Setting, at path: String, limit: Int) throws -> [UInt8] {
        try naming(setting) { try InputFile.read(path, limit: limit) }
    }

    /// Does work for a setting; the message of an error begins with where the setting was given.
    func naming<Value>(_ setting: Setting, _ work: () throws -> Value) throws -> Value {
        do {
            return try work()
        } catch {
            throw CommandFailure(describing: error).about(place(of: setting))
        }
    }
}
