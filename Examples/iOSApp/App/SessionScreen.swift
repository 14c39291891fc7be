// SPDX-License-Identifier: Apache-2.0

import OAuthClient
import Session
import SwiftUI
import UIKit

/// Three buttons and what came of them.
struct SessionScreen: View {
    @State private var state = ScreenModel.State.unknown
    @State private var model: ScreenModel?
    @State private var window: UIWindow?

    var body: some View {
        VStack(spacing: 24) {
            Text(text)
            switch state {
            case .signedOut: Button("Sign in") { run { await $0.signIn(using: browser($1)) } }
            case .signedIn:
                Button("Call the API") { run { model, _ in await model.callAPI() } }
                Button("Sign out") { run { model, _ in await model.signOut() } }
            case .tryAgain: Button("Try again") { run { model, _ in await model.start() } }
            case .unknown, .working: ProgressView()
            }
        }
        .background(WindowReader { window = $0 })
        .task {
            guard let session = try? SharedSession() else {
                state = .tryAgain("The app group is missing among the entitlements.")
                return
            }
            let model = ScreenModel(session) { state = $0 }
            self.model = model
            await model.start()
        }
    }

    private var text: String {
        switch state {
        case .unknown, .working: ""
        case .signedOut(let message): message ?? "Nobody is signed in."
        case .signedIn(let answer): answer ?? "You are signed in."
        case .tryAgain(let reason): reason
        }
    }

    private func browser(_ window: UIWindow) -> WebAuthenticationUserAgent {
        WebAuthenticationUserAgent { window }
    }

    private func run(_ action: @escaping @MainActor (ScreenModel, UIWindow) async -> Void) {
        guard let model, let window else { return }
        Task { await action(model, window) }
    }
}
