// SPDX-License-Identifier: Apache-2.0

import Foundation
import StandInUIKit

public typealias ASPresentationAnchor = UIWindow

@MainActor
public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

/// The system's browser, played by `FakeBrowser`. It closes with the last reference to it, like the real one.
open class ASWebAuthenticationSession: NSObject {
    public typealias CompletionHandler = (URL?, (any Error)?) -> Void

    open class Callback: NSObject {
        public let text: String

        init(_ text: String) {
            self.text = text
        }

        open class func customScheme(_ customScheme: String) -> Callback { Callback(customScheme + ":") }
        open class func https(host: String, path: String) -> Callback { Callback("https://" + host + path) }
    }

    public let url: URL
    public let callback: Callback
    private let handler: CompletionHandler
    private var hasEnded = false

    open weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
    open var prefersEphemeralWebBrowserSession = false

    public init(url URL: URL, callback: Callback, completionHandler: @escaping CompletionHandler) {
        url = URL
        self.callback = callback
        handler = completionHandler
    }

    deinit {
        if FakeBrowser.isShown(self), !hasEnded { handler(nil, FakeBrowser.Forgotten()) }
    }

    @discardableResult
    open func start() -> Bool {
        guard FakeBrowser.show(self) else { return false }
        guard presentationContextProvider != nil else {
            handler(nil, ASWebAuthenticationSessionError(.presentationContextNotProvided))
            return false
        }
        // Not on the main thread, as on macOS.
        DispatchQueue(label: "a connection to the browser")
            .asyncAfter(deadline: .now() + .milliseconds(20)) { [weak self] in
                guard let self, let answer = FakeBrowser.answer(self) else { return }
                self.end(answer.url, answer.error)
            }
        return true
    }

    open func cancel() {
        FakeBrowser.noteCancellation()
        guard FakeBrowser.reportsCancellation else {
            hasEnded = true
            return
        }
        DispatchQueue(label: "a connection to the browser").async { [self] in
            end(nil, ASWebAuthenticationSessionError(.canceledLogin))
        }
    }

    private func end(_ url: URL?, _ error: (any Error)?) {
        hasEnded = true
        handler(url, error)
        // Some ends are reported twice.
        if FakeBrowser.reportsTwice { handler(nil, ASWebAuthenticationSessionError(.canceledLogin)) }
    }
}
