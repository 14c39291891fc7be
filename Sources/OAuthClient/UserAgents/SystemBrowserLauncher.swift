// SPDX-License-Identifier: Apache-2.0

#if os(macOS) || os(Linux)
import OAuthSystem

/// Opens URLs with the desktop's command.
///
/// That is `open` on macOS and `xdg-open` elsewhere; the URL is one argument, never part of a shell command.
struct SystemBrowserLauncher: BrowserLauncher {
    private let environment: [String: String]

    init(environment: [String: String] = EnvironmentVariables.all) {
        self.environment = environment
    }

    func open(_ url: String) async throws(OAuthClientError) {
        let commands = commands(for: url)
        guard !commands.isEmpty else {
            throw OAuthClientError(
                .browserUnavailable,
                "there is no display and no BROWSER here; open the URL by hand on a machine that can reach this one"
            )
        }
        for command in commands where await Subprocess(words: command, environment: environment).run() { return }
        throw OAuthClientError(.browserUnavailable, "the system could not open a browser; open the URL by hand")
    }

    /// The commands to try, in order.
    private func commands(for url: String) -> [[String]] {
        #if os(macOS)
        return [["/usr/bin/open", url]]
        #else
        let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
        return browsers(for: url) + (hasDisplay ? [["/usr/bin/env", "xdg-open", url]] : [])
        #endif
    }

    /// The commands of `BROWSER`, separated by colons, in which `%s` is replaced by the URL.
    ///
    /// `xdg-open` reads the variable too, but is not installed on every machine with a browser.
    private func browsers(for url: String) -> [[String]] {
        (environment["BROWSER"] ?? "").split(separator: ":").compactMap { command in
            let words = command.split(separator: " ").map(String.init)
            guard !words.isEmpty else { return nil }
            let hasPlace = words.contains { $0.contains(text: "%s") }
            let arguments = words.map {
                $0.replacing(text: "%s", with: url)
            }
            return ["/usr/bin/env"] + arguments + (hasPlace ? [] : [url])
        }
    }
}
#endif
