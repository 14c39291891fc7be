// SPDX-License-Identifier: Apache-2.0

/// The settings of the server with their sources.
///
/// An option overrides the environment, which overrides the file.
struct ServerSettings: Sendable {
    /// The configuration file.
    static let configuration = Option.value(
        "--config",
        letter: "c",
        "FILE",
        "the configuration file",
        default: "$KEYBOUND_CONFIG"
    )

    /// A value as text, with the name of its source.
    struct Given: Sendable {
        let values: [String]
        let place: String
    }

    private let given: [Setting: Given]

    /// Collects the settings.
    ///
    /// - Parameters:
    ///   - arguments: The options, and ``configuration``.
    ///   - settings: Those that the command has an option for.
    ///   - content: What is in the configuration file; `nil` to read it.
    /// - Throws: ``CommandFailure`` with ``ExitCode/usage``.
    init(_ arguments: ParsedArguments, optionsFor settings: [Setting], content: [UInt8]? = nil) throws {
        try Self.refuseUnknownVariables(ProcessEnvironment.names(beginningWith: "KEYBOUND_"))
        var given: [Setting: Given] = [:]
        if let path = arguments.value(Self.configuration) ?? ProcessEnvironment.value("KEYBOUND_CONFIG") {
            given = try ConfigurationFile(path, content: content).settings()
        }
        for setting in Setting.all {
            if let text = ProcessEnvironment.value(setting.variable) {
                given[setting] = Given(values: Self.values(of: text, setting), place: "$\(setting.variable)")
            }
            if settings.contains(setting), arguments.has(setting.option) {
                let values = setting.option.placeholder == nil ? ["true"] : arguments.values(setting.option)
                given[setting] = Given(values: values, place: setting.option.name)
            }
        }
        self.given = given
    }

    /// What a variable says.
    private static func values(of text: String, _ setting: Setting) -> [String] {
        switch setting.kind {
        // Descriptions of scopes, and arrays, contain spaces and commas, so each scope has its own line.
        case .scopes, .descriptions, .lists: text.split(separator: "\n").map(String.init)
        case .list: text.split { ", \n".contains($0) }.map(String.init)
        default: [text]
        }
    }

    /// A variable that is misspelled must not go unnoticed.
    static func refuseUnknownVariables(_ names: [String]) throws {
        // The TPM is one of accounts and attesters, whose commands may run in the same environment.
        let known = ["KEYBOUND_CONFIG", KeyDevices.tpmVariable] + Setting.all.map(\.variable)
        // Kubernetes sets these for a service named keybound.
        let foreign = ["KEYBOUND_SERVICE_", "KEYBOUND_PORT"]
        guard
            let unknown = names.sorted().first(where: { name in
                !known.contains(name) && !foreign.contains { name.hasPrefix($0) }
            })
        else { return }
        let guess = NearestWord.to(unknown, among: known).map { "did you mean $\($0)?" }
        throw CommandFailure.usage(
            "$\(SafeText.of(unknown)) is not a setting",
            hint: guess ?? "keybound help configuration lists them"
        )
    }

    /// Whether the setting was given, even as an empty list.
    func isGiven(_ setting: Setting) -> Bool {
        given[setting] != nil
    }

    func word<Word: RawRepresentable<String> & CaseIterable>(_ setting: Setting, _ standard: Word) throws -> Word {
        guard let text = text(setting) else { return standard }
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure.usage("\(place(of: setting)) must be one of \(words)")
        }
        return word
    }

    /// The source of a setting, for messages.
    func place(of setting: Setting) -> String {
        given[setting]?.place ?? setting.option.name
    }

    func values(_ setting: Setting) -> [String] {
        given[setting]?.values ?? []
    }

    func text(_ setting: Setting) -> String? {
        given[setting]?.values.last
    }

    func flag(_ setting: Setting) throws -> Bool {
        switch text(setting) {
        case nil, "false", "0": return false
        case "true", "1": return true
        default: throw CommandFailure.usage("\(place(of: setting)) is neither true nor false")
        }
    }

    /// A number of things, at least one; `nil` if it was not given.
    func count(_ setting: Setting) throws -> Int? {
        guard let text = text(setting) else { return nil }
        guard let count = Int(text), count > 0 else {
            throw CommandFailure.usage(
                "\(place(of: setting)) is not a number from 1 on",
                hint: "keybound help configuration says what \(setting.key) is"
            )
        }
        return count
    }

    /// A duration, at most ten years if nothing else is said; the standard one if it was not given.
    func duration(
        _ setting: Setting,
        _ standard: Duration,
        atMost maximum: Duration = DurationText.longest
    ) throws -> Duration {
        guard let text = text(setting) else { return standard }
        guard let duration = DurationText.parse(text) else {
            throw CommandFailure.usage("\(place(of: setting)) is not a duration", hint: "write 90s, 5m, 8h or 30d")
        }
        guard duration <= maximum else {
            throw CommandFailure.usage("\(place(of: setting)) is longer than \(DurationText.text(of: maximum))")
        }
        return duration
    }
}
