// SPDX-License-Identifier: Apache-2.0

/// Declarations of Dispatch for type-checking only, without the parameters that have defaults.

open class DispatchQueue: @unchecked Sendable {
    public convenience init(label: String) { fatalError() }

    public func async(execute work: @escaping @Sendable @convention(block) () -> Void) { fatalError() }
}
