// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import AuthorizationServer
import HTTPMessage
import ServerStorage

extension ServerSetup {
    /// Checks everything that can fail, before anything is written.
    func check(_ console: Console) async throws {
        let places = try ServerPaths(settings)
        let report = ConfigurationReport(
            try ServerConfiguration(unchecked: settings),
            try Deployment(settings, places)
        )
        for line in report.lines.flatMap({ $0.split(separator: "\n") }) { console.note(String(line)) }
        guard report.isValid else { throw CommandFailure.usage("the settings contradict the chosen profile") }
        try Serve.checkWhatCannotStart(settings, console)
        if document != nil { try NewFile.requireWritable(parentOf: path) }
        try checkDataDirectory(places)
        if places.isDatabaseShared {
            try await checkSharedDatabase(places)
        } else {
            try checkFile(places.database)
        }
        try checkCredential()
    }

    /// The directory of the data is made last, after the configuration that names it.
    private func checkDataDirectory(_ places: ServerPaths) throws {
        let data = Self.dataDirectory(places)
        guard !InputFile.exists(at: data) else { return }
        try NewFile.requireWritable(parentOf: data)
        let parent = DoctorPaths.parent(of: data)
        // For another user only the directory itself is made; the ones above it are the operator's, but for that of the
        // configuration.
        guard owner == nil || InputFile.exists(at: parent) || parent == DoctorPaths.parent(of: path) else {
            throw CommandFailure(.failure, "there is no directory \(parent) for the data", hint: "make it first")
        }
    }

    private static func dataDirectory(_ places: ServerPaths) -> String {
        DoctorPaths.parent(of: places.isDatabaseShared ? places.keyDirectory : places.database)
    }

    private func checkFile(_ database: String) throws {
        guard InputFile.exists(at: database) else { return try NewFile.requireWritable(parentOf: database) }
        guard let lost = lostCredential else { return }
        throw CommandFailure(
            .failure,
            "there is a database at \(database), but no credential at \(lost): a new one would not open its keys",
            hint: "restore the credential, or name an empty place with --data-directory"
        )
    }

    /// Looks whether the database answers and has its tables.
    ///
    /// Once a node has started, the others need its credential.
    private func checkSharedDatabase(_ places: ServerPaths) async throws {
        let hasKeys = try await ServerDatabase.with(places) { try await !$0.signingKeys().isEmpty }
        guard hasKeys, let lost = lostCredential else { return }
        throw CommandFailure(
            .failure,
            "the database has the signing keys of another node, and there is no credential at \(lost) to open them with",
            hint: "copy the credential of that node to this place, and run the same command again"
        )
    }

    private func checkCredential() throws {
        try checkThatOwnerReadsCredential()
        switch credential {
        case .file(let file) where missingCredential != nil:
            let directory = DoctorPaths.parent(of: file)
            // The directory of the configuration is made if need be; a credential elsewhere is in one of the operator's.
            guard InputFile.exists(at: directory) || directory == DoctorPaths.parent(of: path) else {
                throw CommandFailure(
                    .failure,
                    "there is no directory \(directory) for the credential",
                    hint: "make it first"
                )
            }
            try NewFile.requireWritable(parentOf: file)
        case .systemd where missingCredential != nil: try SystemdCredential.check()
        default: break
        }
    }

    /// The server reads the credential as its own user, and not as the one who sets it up.
    ///
    /// A new one gets the right group and mode, but its directory may be closed.
    private func checkThatOwnerReadsCredential() throws {
        guard case .file(let file) = credential, let owner, let obstacle = owner.obstacle(toReading: file) else {
            return
        }
        let right = obstacle == file ? "g+r" : "g+x"
        throw CommandFailure(
            .failure,
            "the user \(owner.name) cannot read the credential \(file): \(obstacle) does not allow it",
            hint: "chgrp \(owner.name) \(obstacle) && chmod \(right) \(obstacle), or name another place with "
                + "--key-credential-file"
        )
    }

    /// Where the credential of an existing database is looked for, if it is not there; a copy in a file is encrypted for
    /// systemd's store.
    private var lostCredential: String? {
        guard let missing = missingCredential else { return nil }
        guard case .systemd(_, let copy) = credential else { return missing }
        return InputFile.exists(at: copy) ? nil : copy
    }

    /// Where the credential should be, if it is not there.
    private var missingCredential: String? {
        switch credential {
        case .file(let file): InputFile.exists(at: file) ? nil : file
        case .systemd(let name, _):
            InputFile.exists(at: SystemdCredential.path(of: name)) ? nil : SystemdCredential.path(of: name)
        case .elsewhere: nil
        }
    }

    /// Makes what is missing, each file complete or not at all, and goes on as the user of the server.
    ///
    /// The credential comes before the configuration that names it, so that another run can go on wherever this one
    /// stops.
    func make(_ console: Console) async throws {
        let directory = DoctorPaths.parent(of: path)
        if !InputFile.exists(at: directory) { try SystemUser.makeDirectory(directory, readableBy: owner) }
        try await makeCredential(console)
        if let document {
            let text = IndentedJSON.text(of: document) + "\n"
            try NewFile.write(Array(text.utf8), to: path, readableBy: owner)
            console.note("made        \(path)")
        } else {
            console.note("there is    \(path): it stays as it is")
        }
        let places = try ServerPaths(settings)
        if let owner {
            let data = Self.dataDirectory(places)
            if !InputFile.exists(at: data) {
                try SystemUser.makeDirectory(data, for: owner)
                console.note("made        \(data), for the user \(owner.name)")
            }
            try owner.become()
        }
    }

    private func makeCredential(_ console: Console) async throws {
        guard let missing = missingCredential else {
            return console.note("there is    a credential for the signing keys: it stays as it is")
        }
        if case .systemd(let name, let copy) = credential {
            try await SystemdCredential.encrypt(name, copy: copy)
            console.note("made        \(missing), encrypted for this machine, and a copy for another one in \(copy)")
        } else {
            try SystemdCredential.write(to: missing, readableBy: owner)
            console.note("made        \(missing)")
        }
    }

    /// How systemd starts the server, and the backups of a database that is a file: keybound copies no other.
    static func startingCommand(isDatabaseShared: Bool) -> String {
        "sudo systemctl enable --now keybound.service" + (isDatabaseShared ? "" : " keybound-backup.timer")
    }

    /// The commands that come next.
    func nextCommands(clientID: String?) throws -> [String] {
        let configuration = try ServerConfiguration(unchecked: settings)
        let issuer = configuration.issuer
        // Without it keybound userinfo has nothing to ask for.
        let scope = configuration.scopes.contains { $0.name == "openid" } ? " --scope openid" : ""
        let insecure = issuer.scheme == "http" ? " --allow-insecure-loopback" : ""
        let prefix = owner.map { "sudo -u \($0.name) " } ?? ""
        let isShared = try ServerPaths(settings).isDatabaseShared
        let start =
            owner != nil && InputFile.exists(at: "/run/systemd/system")
            ? Self.startingCommand(isDatabaseShared: isShared)
            : "\(prefix)keybound serve --config \(path)"
        let others = isShared ? " to every other node, and" : ""
        let copy: [String] =
            switch credential {
            case .systemd(_, let copy) where InputFile.exists(at: copy):
                ["move \(copy)\(others) to where you keep passwords, and delete it here"]
            case .file(let file): ["copy \(file)\(others) to where you keep passwords: without it no backup opens"]
            default: []
            }
        return copy + [
            start,
            "\(prefix)keybound doctor --config \(path)",
            clientID.map { "keybound login \(issuer) --client-id \($0)\(scope)\(insecure)" }
                ?? "\(prefix)keybound client add --config \(path) --id notes-cli --redirect-uri http://127.0.0.1/callback",
        ]
    }
}
#endif
