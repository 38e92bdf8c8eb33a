import Foundation

extension Fixture {
    static let csvFile = Fixture(
        kind: "file", variant: "CSV", keeps: [.user, .day, .metres, .kilocalories, .goal, .percentage],
        text: { String($0.map { $0.isNewline ? " " : $0 }) }, hasSecret: false, open: { try FileVenue("steps.csv") })

    static let jsonFile = Fixture(
        kind: "file", variant: "JSON", keeps: [.user, .day, .metres, .kilocalories, .goal, .percentage],
        hasSecret: false,
        open: { try FileVenue("steps.jsonl") })
}

/// A file in its own folder, read back line by line.
private struct FileVenue: Venue {
    let folder: Folder
    let name: String

    init(_ name: String) throws {
        folder = try Folder()
        self.name = name
    }

    var keys: String { "path = '\(folder.path)/\(name)'" }

    func held() throws -> [HeldDay] {
        try sent().map { name.hasSuffix("csv") ? Self.ofCSV($0) : try Self.ofJSON($0) }.sorted {
            ($0.day ?? "") < ($1.day ?? "")
        }
    }

    private static func ofJSON(_ line: String) throws -> HeldDay {
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
        return HeldDay(
            user: object["user"] as? String, day: object["day"] as? String, steps: object["steps"] as? Int ?? -1,
            metres: object["distanceMetres"] as? Int, kilocalories: object["energyKilocalories"] as? Int,
            goal: object["goal"] as? Int, percentage: object["percentage"] as? Double)
    }

    /// Columns by their names in the header; only the user's name can be in quotes.
    private static func ofCSV(_ line: String) -> HeldDay {
        let day = line.prefix(10)
        var rest = line.dropFirst(11)
        var user = ""
        if rest.unicodeScalars.first == "\"" {
            rest = Substring(rest.unicodeScalars.dropFirst())
            while let quote = rest.unicodeScalars.firstIndex(of: "\"") {
                user.unicodeScalars += rest.unicodeScalars[..<quote]
                rest = Substring(rest.unicodeScalars[quote...].dropFirst())
                guard rest.unicodeScalars.first == "\"" else { break }
                user += "\""
                rest = Substring(rest.unicodeScalars.dropFirst())
            }
        } else {
            user = String(rest.unicodeScalars.prefix { $0 != "," })
            rest = Substring(rest.unicodeScalars.drop { $0 != "," })
        }
        let fields = rest.split(separator: ",", omittingEmptySubsequences: false).dropFirst().map(String.init)
        return HeldDay(
            user: user, day: String(day), steps: Int(fields[0]) ?? -1, metres: Int(fields[1]),
            kilocalories: Int(fields[2]),
            goal: Int(fields[3]), percentage: Double(fields[4]))
    }

    func sent() -> [String] {
        guard var lines = folder.text(name)?.split(separator: "\n").map(String.init) else { return [] }
        if name.hasSuffix("csv") { lines.removeFirst() }
        return lines
    }

    func close() {}
}
