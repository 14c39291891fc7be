// SPDX-License-Identifier: Apache-2.0

import Foundation

@MainActor
open class UIWindow: NSObject {
    public override init() {}
}
