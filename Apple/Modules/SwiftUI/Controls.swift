// SPDX-License-Identifier: Apache-2.0

public import UIKit

public struct Text: View {
    public nonisolated init<Content: StringProtocol>(_ content: Content) { fatalError() }
    public var body: Never { fatalError() }
}

public struct TextField<Label: View>: View {
    public var body: Never { fatalError() }
}

extension TextField where Label == Text {
    public nonisolated init(_ titleKey: LocalizedStringKey, text: Binding<String>) { fatalError() }
}

public struct SecureField<Label: View>: View {
    public var body: Never { fatalError() }
}

extension SecureField where Label == Text {
    public nonisolated init(_ titleKey: LocalizedStringKey, text: Binding<String>) { fatalError() }
}

extension View {
    public nonisolated func textContentType(_ textContentType: UITextContentType?) -> some View { EmptyView() }
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
