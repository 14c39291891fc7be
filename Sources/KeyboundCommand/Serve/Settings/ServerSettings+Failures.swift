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
        try naming(setting) { try Self.content(at: path, limit: limit) }
    }

    /// The content of a file that is part of the configuration, and wrong like a setting if it cannot be read.
    ///
    /// - Throws: ``CommandFailure`` with ``ExitCode/usage``, with which systemd does not start a server again.
    static func content(at path: String, limit: Int) throws -> [UInt8] {
        do {
            return try InputFile.read(path, limit: limit)
        } catch {
            let failure = CommandFailure(describing: error)
            throw CommandFailure(.usage, failure.message, hints: failure.hints)
        }
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
