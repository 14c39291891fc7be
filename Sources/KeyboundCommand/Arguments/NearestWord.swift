// SPDX-License-Identifier: Apache-2.0

/// Suggests a known word for an unknown one.
enum NearestWord {
    /// A word that starts with the unknown one, or else the word with the smallest edit distance, if that is small.
    static func to(_ unknown: String, among words: [String]) -> String? {
        if unknown.count > 3, let longer = words.first(where: { $0.hasPrefix(unknown) }) { return longer }
        let byDistance = words.map { ($0, distance(unknown, $0)) }.min { $0.1 < $1.1 }
        guard let (word, distance) = byDistance, distance <= max(1, unknown.count / 3) else { return nil }
        return word
    }

    /// The Levenshtein distance.
    private static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (position, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = position + 1
            for (column, other) in right.enumerated() {
                let replaced = diagonal + (letter == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, row[column + 1] + 1)
            }
        }
        return row[right.count]
    }
}
