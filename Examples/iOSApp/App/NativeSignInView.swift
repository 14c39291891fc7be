// SPDX-License-Identifier: Apache-2.0

import OAuthClient
import OAuthCore
import Session
import SwiftUI
import UIKit

/// Asks for name, password and codes itself: for an app of the server's own publisher.
struct NativeSignInView: View {
    let session: SharedSession
    /// Called when the user is signed in.
    let onSignedIn: @MainActor () -> Void

    @State private var model: NativeSignInModel?
    @State private var stage = NativeSignInModel.Stage.working
    @State private var username = ""
    @State private var secret = ""
    @State private var window: UIWindow?

    var body: some View {
        VStack(spacing: 24) {
            switch stage {
            case .working: ProgressView()
            case .asking(let steps, let problem): fields(steps, problem)
            case .browser: Button("Continue in the browser") { openBrowser() }
            case .signedIn: Text("You are signed in.")
            case .failed(let reason): failure(reason)
            }
        }
        .background(WindowReader { window = $0 })
        .task {
            let model = NativeSignInModel(session) { stage in
                self.stage = stage
                if case .signedIn = stage { onSignedIn() }
            }
            self.model = model
            await model.start()
        }
    }

    /// The fields of the first step that the view knows, and the browser below.
    @ViewBuilder
    private func fields(_ steps: [SignInStep], _ problem: SignInProblem?) -> some View {
        Text(problem == nil ? "" : "That was not right. Try again.")
        switch steps.first {
        case .password:
            TextField("User name", text: $username).textContentType(.username)
            SecureField("Password", text: $secret).textContentType(.password)
            Button("Sign in") { submit(.password(username: username, password: secret)) }
        case .totp:
            TextField("Code of your authenticator app", text: $secret).textContentType(.oneTimeCode)
            Button("Continue") { submit(.totp(secret)) }
        case .recoveryCode:
            SecureField("Recovery code", text: $secret).textContentType(.oneTimeCode)
            Button("Continue") { submit(.recoveryCode(secret)) }
        default: Text("This step needs the browser.")
        }
        Button("Use the browser instead") { submit(.redirectToWeb) }
    }

    @ViewBuilder
    private func failure(_ reason: String) -> some View {
        Text(reason)
        Button("Begin again") { start() }
    }

    /// The field is emptied when its text is on the way.
    private func submit(_ answer: StepAnswer) {
        secret = ""
        guard let model else { return }
        Task { await model.submit(answer) }
    }

    private func start() {
        guard let model else { return }
        Task { await model.start() }
    }

    private func openBrowser() {
        guard let model, let window else { return }
        Task { await model.openBrowser(WebAuthenticationUserAgent { window }) }
    }
}
