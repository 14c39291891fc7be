// SPDX-License-Identifier: Apache-2.0

/// What was decided about the server, and where: an option goes before the environment, and that before the file.
struct ServerSettings: Sendable {
    /// The configuration file.
    static let configuration = Option.value(
        "--config",
        letter: "c",
        "FILE",
        "the configuration file; $KEYBOUND_CONFIG unless given"
    )

    /// A value as text, with the name of the place it was given at.
    struct Given: Sendable {
        let values: [String]
        let place: String
    }

    private let given: [Setting: Given]

    /// Gathers the settings.
    ///
    /// - Parameters:
    ///   - arguments: The options, and ``configuration``.
    ///   - settings: Those that the command has an option for.
    /// - Throws: ``CommandFailure`` with ``ExitCode/usage``.
    init(_ arguments: ParsedArguments, optionsFor settings: [Setting]) throws {
        var given: [Setting: Given] = [:]
        if let path = arguments.value(Self.configuration) ?? ProcessEnvironment.value("KEYBOUND_CONFIG") {
            given = try ConfigurationFile(path).settings()
        }
        for setting in Setting.all {
            if let text = ProcessEnvironment.value(setting.variable) {
                // Texts of scopes have spaces and commas, so scopes stand on lines.
                let values = setting.kind == .scopes ? text.split(separator: "\n").map(String.init) : [text]
                given[setting] = Given(values: values, place: "$\(setting.variable)")
            }
            if settings.contains(setting), arguments.has(setting.option) {
                let values = setting.option.placeholder == nil ? ["true"] : arguments.values(setting.option)
                given[setting] = Given(values: values, place: setting.option.name)
            }
        }
        self.given = given
    }

    /// Where a setting was given, for messages.
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

    func duration(_ setting: Setting, _ standard: Duration) throws -> Duration {
        guard let text = text(setting) else { return standard }
        guard let duration = DurationText.parse(text) else {
            throw CommandFailure.usage("\(place(of: setting)) is not a duration", hint: "write 90s, 5m, 8h or 30d")
        }
        return duration
    }
}
