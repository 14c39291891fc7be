// SPDX-License-Identifier: Apache-2.0

/// The style sheet of every page.
///
/// The content security policy of a page allows exactly this text by its SHA-256 (`style-src 'sha256-...'`). It is
/// therefore one constant, and is between `<style>` and `</style>` without an extra byte. No page has a style
/// attribute.
enum PageStyle {
    /// The text of the `style` element; ASCII, lines end in LF.
    ///
    /// All colours are in the two `:root` rules; a test computes their contrast (WCAG 2.2: 4.5 for text, 3 for edges).
    static let css = """
        :root{color-scheme:light dark;--page:#eef2f4;--card:#fff;--ink:#15202b;--soft:#4a5865;--line:#d8dfe5;--edge:#71808d;
        --accent:#0b5f67;--press:#08474d;--on:#fff;--tint:#e8f2f2;--bad:#a4161f;--alarm:#fdf0ef}
        @media (prefers-color-scheme:dark){:root{--page:#0d1216;--card:#161d23;--ink:#e9eef2;--soft:#a9b5bf;--line:#2c363f;
        --edge:#7d8b97;--accent:#7cd0cd;--press:#a5e2df;--on:#06282b;--tint:#1b2c31;--bad:#ffb3ac;--alarm:#33191a}}
        *{box-sizing:border-box}
        html{background:var(--card);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;-webkit-text-size-adjust:100%}
        body{margin:0 auto;min-height:100vh;min-height:100svh;max-width:28rem;padding:1.25rem;display:flex;flex-direction:column;
        overflow-wrap:anywhere}
        header{display:flex;align-items:center;gap:.75rem;margin-bottom:2rem;font-weight:600}
        h1{margin:0;font-size:1.5rem;line-height:1.25;font-weight:650;letter-spacing:-.01em}
        h2{margin:1.5rem 0 .25rem;font-size:1rem;font-weight:600}
        p{margin:.5rem 0 0}
        code{font:.875em/1.5 ui-monospace,monospace}
        footer,.soft{color:var(--soft)}.soft bdi{color:var(--ink);font-weight:600}
        footer{padding-top:1.5rem;font-size:.875rem}
        svg{flex:none;width:2.25rem;height:2.25rem}
        svg rect{fill:var(--accent)}
        svg path{fill:none;stroke:var(--on);stroke-width:2.5;stroke-linecap:round}
        label{display:block;margin:1.25rem 0 .375rem;font-weight:600}
        input{width:100%;min-height:3rem;padding:.5rem .875rem;border:1px solid var(--edge);border-radius:.625rem;
        background:var(--card);color:var(--ink);font:inherit}
        input[aria-invalid]{border:2px solid var(--bad)}
        button{min-height:3rem;padding:.5rem 1rem;border:1px solid var(--edge);border-radius:.625rem;background:var(--card);
        color:var(--ink);font:inherit;font-weight:600;cursor:pointer}
        button:hover{background:var(--tint)}
        .main{border-color:var(--accent);background:var(--accent);color:var(--on)}
        .main:hover{border-color:var(--press);background:var(--press)}
        form>.main{width:100%;margin-top:1.75rem}
        :focus-visible{outline:3px solid var(--accent);outline-offset:2px}
        .problem{margin-top:1.25rem;padding:.875rem 1rem;border:1px solid var(--bad);border-radius:.625rem;background:var(--alarm)}
        .problem p{margin:.125rem 0 0}
        .problem h2,.error{margin:0;color:var(--bad);font-weight:600}
        .error{margin-bottom:.375rem}
        .account{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem .75rem;margin-top:1.5rem;padding:1rem;
        border:1px solid var(--line);border-radius:.75rem}
        .account p{flex:1;min-width:8rem;margin:0;line-height:1.35}.account+p{margin-top:1rem}
        .account button{width:100%;min-height:2.75rem;margin-bottom:-.75rem;border:0;padding:.5rem 0;line-height:1.35;
        background:none;color:var(--accent);font-size:.875rem;text-align:start;text-decoration:underline;text-underline-offset:.2em}
        .account button:hover{text-decoration-thickness:2px}
        .badge{display:grid;place-items:center;width:2.5rem;height:2.5rem;border-radius:50%;background:var(--tint);
        color:var(--accent);font-weight:600}
        small{display:block;color:var(--soft);font-size:.875rem}
        ul{margin:0;padding:0;list-style:none}
        li{position:relative;padding:.375rem 0 .375rem 1.75rem}
        li::before{content:"";position:absolute;left:.25rem;top:.625rem;width:.375rem;height:.75rem;transform:rotate(45deg);
        border:solid var(--accent);border-width:0 2px 2px 0}
        .next{margin-top:1rem;padding-top:1rem;border-top:1px solid var(--line)}
        .tick{display:flex;align-items:center;gap:.75rem;margin-top:.5rem}
        .tick input{flex:none;width:1.5rem;height:1.5rem;min-height:0;margin:0;accent-color:var(--accent);cursor:pointer}
        .tick label{flex:1;margin:0;padding:.625rem 0;font-weight:400;cursor:pointer}
        .choice{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,9rem),1fr));gap:.75rem;
        margin-top:1.5rem}.tick+.choice{margin-top:.75rem}
        details{margin-top:1.5rem;border-top:1px solid var(--line)}
        summary{padding:.75rem 0;min-height:2.75rem;color:var(--soft);cursor:pointer;border-radius:.25rem}
        @media (min-width:30rem){html{background:var(--page)}body{justify-content:center;max-width:31rem;padding:1.5rem}
        main{padding:2rem 2.5rem;border:1px solid var(--line);border-radius:1.25rem;background:var(--card);
        box-shadow:0 1px 2px #0f20280d,0 12px 32px #0f202814}
        header,footer{padding-left:.25rem;padding-right:.25rem}header{margin-bottom:1rem}}
        @media (prefers-reduced-motion:no-preference){button,input{transition:background-color .15s,border-color .15s}}
        """
}
