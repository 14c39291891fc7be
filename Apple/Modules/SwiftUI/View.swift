// SPDX-License-Identifier: Apache-2.0

/// Declarations of SwiftUI for type-checking only: what the views of the example use.

@_exported public import Foundation

@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError() }
}

@resultBuilder
public struct ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { fatalError() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { fatalError() }
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> { fatalError() }
    public static func buildEither<First: View, Second: View>(
        first: First
    ) -> _ConditionalContent<First, Second> { fatalError() }
    public static func buildEither<First: View, Second: View>(
        second: Second
    ) -> _ConditionalContent<First, Second> { fatalError() }
}

public struct TupleView<Content>: View {
    public var body: Never { fatalError() }
}

public struct _ConditionalContent<First: View, Second: View>: View {
    public var body: Never { fatalError() }
}

public struct EmptyView: View {
    nonisolated init() { fatalError() }
    public var body: Never { fatalError() }
}

extension View {
    public nonisolated func background<Background: View>(
        _ background: Background,
        alignment: Alignment = .center
    ) -> some View { EmptyView() }

    public nonisolated func task(
        priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View { EmptyView() }
}

public struct Alignment: Sendable {
    public static var center: Alignment { fatalError() }
}

public struct HorizontalAlignment: Sendable {
    public static var center: HorizontalAlignment { fatalError() }
}

@propertyWrapper
public struct State<Value> {
    public init(wrappedValue: Value) { fatalError() }
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set { fatalError() }
    }
    public var projectedValue: Binding<Value> { fatalError() }
}

public struct Binding<Value> {}

extension State where Value: ExpressibleByNilLiteral {
    public init() { fatalError() }
}
