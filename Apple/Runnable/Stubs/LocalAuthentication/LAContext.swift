// SPDX-License-Identifier: Apache-2.0

import Foundation

open class LAContext: NSObject {
    open var localizedReason = ""
    /// Whether a person has answered in this context.
    public internal(set) var isAnswered = false
    /// Whether it can still be used.
    public private(set) var isValid = true

    open func invalidate() {
        isValid = false
    }

    /// What the system does when a key asks: shows the reason, unless there is an answer already.
    public func ask() throws {
        guard isValid else { throw LAError(.invalidContext) }
        if isAnswered { return }
        try FakePerson.answer(localizedReason)
        isAnswered = true
    }
}
