// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The sentences for users in errors of this module, and their translation.
///
/// Without a translation they are in English.
public enum OAuthClientText {
    private static let translation = Mutex<(@Sendable (_ key: String, _ english: String) -> String)?>(nil)

    /// Sets the translation for the whole process.
    ///
    /// - Parameter translate: Returns the sentence for a key, such as `error.sessionEnded` or `recovery.signInAgain`. It
    ///   gets the English sentence too, and returns that for a key that it does not know.
    public static func localize(_ translate: (@Sendable (_ key: String, _ english: String) -> String)?) {
        translation.withLock { $0 = translate }
    }

    static func translated(_ key: String, _ english: String) -> String {
        let translate = translation.withLock { $0 }
        return translate?(key, english) ?? english
    }
}
