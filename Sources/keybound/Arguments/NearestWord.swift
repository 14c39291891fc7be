// SPDX-License-Identifier: Apache-2.0

/// Guesses what was meant by a word that is not known.
enum NearestWord {
    /// A word that starts with the unknown one, or else the word that differs by the fewest letters, when that is few.
    static func to(_ unknown: String, among words: [String]) -> String? {
        if unknown.count > 3, let longer = words.first(where: { $0.hasPrefix(unknown) }) { return longer }
        let byDistance = words.map { ($0, distance(unknown, $0)) }.min { $0.1 < $1.1 }
        guard let (word, distance) = byDistance, distance <= max(1, unknown.count / 3) else { return nil }
        return word
    }

    /// The number of letters to insert, delete or replace (Levenshtein).
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
