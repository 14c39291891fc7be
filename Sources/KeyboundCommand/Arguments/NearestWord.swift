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

    /// The distance of Damerau and Levenshtein: two swapped neighbouring letters are one mistake.
    private static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left), Array(right))
        var previous: [Int] = []
        var row = Array(0...right.count)
        for (position, letter) in left.enumerated() {
            var next = [position + 1]
            for (column, other) in right.enumerated() {
                var distance = min(row[column] + (letter == other ? 0 : 1), row[column + 1] + 1, next[column] + 1)
                if position > 0, column > 0, letter == right[column - 1], left[position - 1] == other {
                    distance = min(distance, previous[column - 1] + 1)
                }
                next.append(distance)
            }
            (previous, row) = (row, next)
        }
        return row[right.count]
    }
}
