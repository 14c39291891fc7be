// SPDX-License-Identifier: Apache-2.0

import Session
import SwiftUI
import WidgetKit

/// The extension: calls the API with the session of the app.
@main
struct SessionWidget: Widget {
    var body: some WidgetConfiguration {
        StaticConfiguration(kind: "session", provider: SessionTimeline()) { Text($0.text) }
    }
}

struct SessionEntry: TimelineEntry {
    let date: Date
    let text: String
}

struct SessionTimeline: TimelineProvider {
    func placeholder(in context: Context) -> SessionEntry {
        SessionEntry(date: .now, text: "")
    }

    func getSnapshot(in context: Context, completion: @escaping @Sendable (SessionEntry) -> Void) {
        completion(placeholder(in: context))
    }

    func getTimeline(in context: Context, completion: @escaping @Sendable (Timeline<SessionEntry>) -> Void) {
        Task {
            let entry = SessionEntry(date: .now, text: await Self.text())
            completion(Timeline(entries: [entry], policy: .after(.now + 3600)))
        }
    }

    private static func text() async -> String {
        do {
            return try await SharedSession().callAPI() ?? "Open the app to sign in."
        } catch {
            return SharedSession.endsSession(error) ? "Open the app to sign in." : "The API cannot be called now."
        }
    }
}
