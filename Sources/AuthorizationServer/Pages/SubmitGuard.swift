// SPDX-License-Identifier: Apache-2.0

/// The script of pages with a form: it ignores a second submission within five seconds, as of a double click.
///
/// The browser shows the response to the last submission. The first one consumes the request of a consent page, so with the
/// second one the user would see that it has ended, and the client would get no code. Without scripts the page works as
/// well, except for that. A page to which the user returns takes a submission again at once.
enum SubmitGuard {
    /// The content security policy allows it by its hash.
    ///
    /// Before the first submission the difference is not a number, which is not less than anything.
    static let script = """
        let t;addEventListener("submit",e=>{if(5000>e.timeStamp-t)e.preventDefault();else t=e.timeStamp});\
        addEventListener("pageshow",()=>{t=undefined})
        """

    static let html: HTMLText = "<script>\(HTMLText(stringLiteral: script))</script>"
}
