// SPDX-License-Identifier: Apache-2.0

/// What all pages have in common: head, stylesheet, the server's name above and a word of advice below.
struct PageFrame {
    /// The name of the server, as its operator set it.
    let serverName: String
    /// What the page is about; its state first, as screen readers read it first.
    let title: String
    /// What stands in `main`; holds the only `h1`.
    let main: HTMLText
    /// What stands below, or nothing.
    var footer: HTMLText?

    /// The whole document.
    func html() -> String {
        let server = DisplayName(serverName, orElse: "Sign-in")
        let document: HTMLText = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <title>\(title) – \(server.text)</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="robots" content="noindex">
            <link rel="icon" href="data:image/svg+xml,\(Self.icon)">
            <style>\(HTMLText(stringLiteral: PageStyle.css))</style>
            </head>
            <body>
            <header>\(Self.mark)<span>\(server)</span></header>
            <main>
            \(main)
            </main>
            \(footer.map { "<footer>\($0)</footer>\n" })</body>
            </html>

            """
        return document.markup
    }

    /// A key; decoration, so hidden from screen readers.
    private static let mark: HTMLText = """
        <svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="9"/>\
        <path d="M15 17a4.6 4.6 0 1 1 0-.1L24.5 7.500M21 11l3 3"/></svg>
        """

    private static let icon: HTMLText = """
        %3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E\
        %3Crect width='32' height='32' rx='9' fill='%230b5f67'/%3E\
        %3Cpath d='M15 17a4.6 4.6 0 1 1 0-.1L24.5 7.500M21 11l3 3' fill='none' stroke='%23fff' stroke-width='2.500' \
        stroke-linecap='round'/%3E%3C/svg%3E
        """
}
