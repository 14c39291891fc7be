// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import HTTPServer

extension DoctorCheck {
    /// Every connection needs a descriptor, and the server some more.
    static let descriptors = DoctorCheck(.system, "descriptors") { context in
        guard let settings = context.settings else { return [] }
        let descriptors = context.machine.descriptors
        let connections = try settings.count(.connections) ?? HTTPListenerLimits().connections
        guard descriptors < connections + 64 else { return [.good("\(descriptors) files may be open at once")] }
        return [
            .warning(
                "\(descriptors) files may be open at once, which is too few for \(connections) connections",
                "LimitNOFILE=65536 in the unit, or ulimit -n 65536"
            )
        ]
    }

    static let user = DoctorCheck(.system, "user") { context in
        guard context.settings != nil else { return [] }
        guard context.machine.user == 0 else { return [.good("not running as root")] }
        return [
            .note(
                "running as root: a server does not need root, and its user cannot read files that root creates",
                "run the server, and this command, as a user of its own"
            )
        ]
    }

    /// Space for the database, and a file system on which its locks work.
    static let space = DoctorCheck(.system, "space") { context in
        guard let paths = try context.paths, !paths.isDatabaseShared else { return [] }
        let directory = DoctorPaths.nearestDirectory(of: paths.database)
        var findings: [DoctorFinding] = []
        if context.machine.isRemote(directory) == true {
            findings.append(
                .failure(
                    "\(SafeText.of(directory)) is on another machine, where SQLite can lose data",
                    "--data-directory on a local disk; or PostgreSQL: keybound db copy"
                )
            )
        }
        guard let free = context.machine.freeSpace(at: directory) else { return findings }
        let text = "\(free >> 20) MiB are free in \(SafeText.of(directory))"
        let advice = "free some space: when the disk is full, every sign-in fails"
        switch free {
        case ..<(100 << 20): findings.append(.failure(text, advice))
        case ..<(1 << 30): findings.append(.warning(text, advice))
        default: findings.append(.good(text))
        }
        return findings
    }

    static let synchronization = DoctorCheck(.clock, "synchronization") { context in
        switch context.machine.isClockSynchronized {
        case true?: [.good("the clock is synchronized")]
        case false?:
            [
                .warning(
                    "the clock is not synchronized: if a server's is more than ten seconds off, APIs may reject its tokens",
                    "systemctl enable --now systemd-timesyncd, or chrony; in a container the host does it"
                )
            ]
        case nil: [.note("the system does not say whether its clock is synchronized")]
        }
    }
}
#endif
