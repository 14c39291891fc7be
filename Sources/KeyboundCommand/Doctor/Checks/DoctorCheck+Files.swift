// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import SQLiteStorage
import ServerStorage

extension DoctorCheck {
    /// Who may change the configuration decides who may sign in.
    static let configurationFile = DoctorCheck(.files, "configuration") { context in
        guard let path = context.configurationFile else { return [] }
        try InputFile.checkOwner(path)
        return [.good("only its owner can change \(SafeText.of(path))")]
    }

    static let credentials = DoctorCheck(.files, "credentials") { context in
        guard let settings = context.settings else { return [] }
        let files = [Setting.keyCredentialFile, .signingKeysPINFile].compactMap { settings.text($0) }
        return try files.map { path in
            try InputFile.checkSecret(path)
            guard InputFile.exists(at: path) else {
                return .failure(
                    "there is no file \(SafeText.of(path)) for the secret that protects the signing keys",
                    "restore it from where it was stored apart from the backups; without it the keys are lost"
                )
            }
            return .good("\(SafeText.of(path)) is closed to others")
        }
    }

    static let databaseAccess = DoctorCheck(.files, "database") { context in
        guard let file = try context.databaseFile else { return [] }
        try context.paths?.requireOwnDatabase()
        try SQLiteAuthorizationStorage.checkAccess(to: file)
        try await SQLiteInspection.checkWritable(file)
        return [.good("\(SafeText.of(file)) is closed to others, and can be written")]
    }

    /// A backup that holds the database and the credential holds the keys.
    static let apartness = DoctorCheck(.files, "apartness") { context in
        guard let credential = context.settings?.text(.keyCredentialFile), let paths = try context.paths,
            !paths.isDatabaseShared
        else { return [] }
        let directory = DoctorPaths.parent(of: paths.database)
        guard DoctorPaths.parent(of: credential) == directory else {
            return [.good("the credential is apart from the database")]
        }
        return [
            .warning(
                "the credential is in the directory of the database: whoever copies that has the signing keys",
                "move it out of \(SafeText.of(directory)), and set keyCredentialFile"
            )
        ]
    }
}
#endif
