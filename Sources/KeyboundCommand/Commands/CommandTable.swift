// SPDX-License-Identifier: Apache-2.0

/// Every command, in the order of the help.
///
/// A new command needs a file in this directory and an entry here.
enum CommandTable {
    struct Section: Sendable {
        let title: String
        let commands: [any Command.Type]
    }

    #if os(Linux)
    private static let demo: [any Command.Type] = [RunDemo.self]
    private static let session: [any Command.Type] = [
        Login.self, SendRequest.self, RunProxy.self, BridgeMCP.self, ShowUser.self, ShowToken.self, RefreshTokens.self,
        ListKeys.self, ShowKey.self, AttestKey.self, DeleteKey.self, Logout.self,
    ]
    private static let server: [any Command.Type] = [
        InitializeServer.self, Serve.self, CheckHealth.self, AddUser.self, ListUsers.self, ShowUserAccount.self,
        SetUser.self, ChangePassword.self, RemoveUser.self,
        AddClient.self, ListClients.self, NewClientSecret.self, NewRegistrationToken.self, ListRegistrationTokens.self,
        RemoveRegistrationToken.self, RemoveClient.self, SetClient.self, ApplyClients.self,
        ShowClient.self, ListGrants.self, RevokeGrants.self, ListServerKeys.self, ShowServerKey.self,
        RotateServerKeys.self, ResealServerKeys.self,
        BackUpDatabase.self, MigrateDatabase.self, ShowDatabase.self, CopyDatabase.self, CollectGarbage.self,
    ]
    private static let gateway: [any Command.Type] = [
        RunGateway.self, PrintProxyConfiguration.self, CheckGateway.self,
    ]
    private static let attester: [any Command.Type] = [
        ServeAttester.self, IssueAttestation.self, PrintAttesterKeys.self,
    ]
    private static let doctor: [any Command.Type] = [RunDoctor.self]
    #else
    private static let attester: [any Command.Type] = []
    private static let doctor: [any Command.Type] = []
    private static let gateway: [any Command.Type] = [PrintProxyConfiguration.self]
    private static let demo: [any Command.Type] = []
    private static let session: [any Command.Type] = []
    private static let server: [any Command.Type] = []
    #endif

    static let sections: [Section] = [
        Section(title: "See it work", commands: demo),
        Section(title: "Sign in and call APIs", commands: session),
        Section(title: "Run a server", commands: server),
        Section(title: "Vouch for copies of an app", commands: attester),
        Section(title: "Protect an API in any language", commands: gateway),
        Section(
            title: "Look into the protocol",
            commands: [
                MakePKCEPair.self, VerifyPKCEPair.self, MakeProof.self, VerifyProof.self, InspectJWT.self,
                PrintClientDocument.self,
                AppSiteFile.self,
            ]
        ),
        Section(
            title: "About the program",
            commands: doctor + [PrintVersion.self, PrintCompletion.self, PrintManual.self]
        ),
    ]

    static let commands: [any Command.Type] = sections.flatMap(\.commands)

    /// The first words of all commands, each once, and `help`.
    static var firstWords: [String] {
        commands.compactMap { $0.syntax.words.first }.reduce(into: ["help"]) { words, word in
            if !words.contains(word) { words.append(word) }
        }
    }

    /// The words at the start of a line that begin the name of a command; empty if the first one does not.
    static func group(at words: [String]) -> [String] {
        var group: [String] = []
        for word in words {
            guard commands.contains(where: { $0.syntax.words.starts(with: group + [word]) }) else { break }
            group.append(word)
        }
        return group
    }

    /// The commands whose names begin with these words and continue after them.
    static func syntaxes(in group: [String]) -> [CommandSyntax] {
        commands.map { $0.syntax }.filter { $0.words.count > group.count && $0.words.starts(with: group) }
    }

    /// The command that a line begins with; the longest match wins.
    static func command(at words: [String]) -> (any Command.Type)? {
        commands.filter { words.starts(with: $0.syntax.words) }.max { $0.syntax.words.count < $1.syntax.words.count }
    }
}
