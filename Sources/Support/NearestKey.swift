/// The known key, command or name that a wrong one most likely stands for, or nil if none is similar.
public func nearestKey(to key: String, among known: [String]) -> String? {
    // A very long key is not a typing error.
    guard key.utf8.count <= 64 else { return nil }
    let key = key.lowercased()
    var best: (key: String, distance: Int)?
    for candidate in known {
        let limit = max(1, candidate.count / 2)
        // Keys whose lengths differ by more than the limit need no comparison.
        guard abs(candidate.count - key.count) <= limit else { continue }
        let distance = editDistance(key, candidate.lowercased())
        if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.key
}

/// The number of insertions, deletions, replacements and swaps of neighbours between two texts (optimal string
/// alignment).
func editDistance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a), Array(b))
    var rows = [Array(0...b.count)]
    for i in a.indices {
        var row = [i + 1]
        for j in b.indices {
            var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
            if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, rows[i - 1][j - 1] + 1) }
            row.append(best)
        }
        rows.append(row)
    }
    return rows[a.count][b.count]
}
