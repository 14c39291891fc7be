// SPDX-License-Identifier: Apache-2.0

import UIKit

/// In a file without Testing, which looks for an overlay of both.
@MainActor
func makeWindow() -> UIWindow {
    UIWindow()
}
