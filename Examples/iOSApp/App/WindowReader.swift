// SPDX-License-Identifier: Apache-2.0

import SwiftUI
import UIKit

/// Tells the window that a view is in: what the browser is shown above.
struct WindowReader: UIViewRepresentable {
    final class Probe: UIView {
        var onWindow: (UIWindow?) -> Void = { _ in }

        override func didMoveToWindow() {
            super.didMoveToWindow()
            onWindow(window)
        }
    }

    let onWindow: (UIWindow?) -> Void

    func makeUIView(context: Context) -> Probe {
        let probe = Probe()
        probe.onWindow = onWindow
        return probe
    }

    func updateUIView(_ probe: Probe, context: Context) {}
}
