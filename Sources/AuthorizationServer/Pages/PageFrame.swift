// SPDX-License-Identifier: Apache-2.0

/// The common parts of all pages: head, style sheet, the server's name at the top, and advice at the bottom.
struct PageFrame {
    /// The server's name, as configured.
    let serverName: String
    /// The page title; the state comes first, since screen readers read it first.
    let title: String
    /// The content of `main`, with the only `h1`.
    let main: HTMLText
    /// The content of the footer, if any.
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

    /// The image of a key; decoration, so hidden from screen readers.
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
