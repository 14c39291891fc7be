// SPDX-License-Identifier: Apache-2.0

/// Describes the target of the redirect in words.
struct RedirectDestination {
    /// The host of the redirect URI as written, or the scheme with its colon (`com.example.app:`).
    let host: String

    /// The words, in the middle of a sentence: "an app on this device".
    var phrase: HTMLText {
        if isThisDevice { return "an app on this device (<code>\(host)</code>)" }
        if host.hasSuffix(":") { return "the app that opens <code>\(shown)</code> links" }
        return "<strong>\(shown)</strong>"
    }

    /// The host without any words, for a place that is not the target of a redirect.
    var name: DisplayName { shown }

    /// Whether the response goes to an app on the device, and not to a host of a known owner.
    var isOnDevice: Bool { isThisDevice || host.hasSuffix(":") }

    /// The end of a host name tells its owner, so an overlong host is cut at the beginning.
    private var shown: DisplayName {
        let limit = 253
        let tail = host.unicodeScalars.count > limit ? "\u{2026}" + String(host.unicodeScalars.suffix(limit - 1)) : host
        return DisplayName(tail, limit: limit, orElse: "an unknown place")
    }

    /// RFC 8252 section 8.3; `127.0.0.1.example` is an ordinary host name.
    private var isThisDevice: Bool {
        if host == "[::1]" || host == "::1" || host == "localhost" { return true }
        let labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.count == 4, labels.first?.elementsEqual("127".utf8) == true else { return false }
        return labels.allSatisfy { label in
            (1...3).contains(label.count) && label.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        }
    }
}
