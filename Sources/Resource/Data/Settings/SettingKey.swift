import Foundation

/// The keys of a configuration file.
enum SettingKey: String, CaseIterable {
    case user, adapter, database, timeout

    /// The known key that a wrong one most likely stands for, or nil where none is near.
    static func nearest(to key: String) -> SettingKey? {
        // A key of the length of a page is nobody's slip of the pen.
        guard key.count <= 32 else { return nil }
        let known = allCases.map { (key: $0, distance: editDistance(key.lowercased(), $0.rawValue)) }
        guard let best = known.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, best.key.rawValue.count / 2) ? best.key : nil
    }

    /// What a value has to be, in words for the user.
    var expected: String {
        switch self {
        case .user: "the name of a user"
        case .adapter: "the name of an adapter, such as \"hci0\""
        case .database: "a path that starts with / or ~/"
        case .timeout: "a number of seconds from \(Int(Settings.timeouts.lowerBound)) to \(Int(Settings.timeouts.upperBound))"
        }
    }
}

/// Insertions, deletions, replacements and swaps of neighbours that lead from one to the other (optimal string alignment).
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
