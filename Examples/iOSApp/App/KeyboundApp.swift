// SPDX-License-Identifier: Apache-2.0

import SwiftUI

@main
struct KeyboundApp: App {
    var body: some Scene {
        WindowGroup { SessionScreen() }
    }
}
