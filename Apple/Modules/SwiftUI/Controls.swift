// SPDX-License-Identifier: Apache-2.0

public struct Text: View {
    public nonisolated init<Content: StringProtocol>(_ content: Content) { fatalError() }
    public var body: Never { fatalError() }
}

public struct VStack<Content: View>: View {
    /// `CGFloat` where there is CoreGraphics.
    public nonisolated init(
        alignment: HorizontalAlignment = .center,
        spacing: Double? = nil,
        @ViewBuilder content: () -> Content
    ) { fatalError() }
    public var body: Never { fatalError() }
}

public struct LocalizedStringKey: ExpressibleByStringLiteral, Sendable {
    public init(stringLiteral value: String) { fatalError() }
}

public struct Button<Label: View>: View {
    public var body: Never { fatalError() }
}

extension Button where Label == Text {
    @preconcurrency
    public nonisolated init(_ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void) { fatalError() }
}

public struct ProgressView<Label: View, CurrentValueLabel: View>: View {
    public var body: Never { fatalError() }
}

extension ProgressView where Label == EmptyView, CurrentValueLabel == EmptyView {
    public nonisolated init() { fatalError() }
}
