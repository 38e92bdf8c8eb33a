import Foundation

extension Fixture {
    static let csvFile = Fixture(
        kind: "file", variant: "CSV", keeps: [.user, .day, .metres, .kilocalories, .goal, .percentage],
        text: { String($0.map { $0.isNewline ? " " : $0 }) }, hasSecret: false, open: { try FileVenue("steps.csv") })

    static let jsonFile = Fixture(
        kind: "file", variant: "JSON", keeps: [.user, .day, .metres, .kilocalories, .goal, .percentage], hasSecret: false,
        open: { try FileVenue("steps.jsonl") })
}

/// A file in a folder of its own, read by Python, which knows both formats without us.
private struct FileVenue: Venue {
    let folder: Folder
    let name: String

    init(_ name: String) throws {
        folder = try Folder()
        self.name = name
    }

    var keys: String { "path = '\(folder.path)/\(name)'" }

    func held() throws -> [HeldDay] {
        guard folder.text(name) != nil else { return [] }
        let program = """
            import csv, json, sys
            rows = list(csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8"))) if sys.argv[1].endswith("csv") else \
            [json.loads(line) for line in open(sys.argv[1], newline="\\n", encoding="utf-8")]
            get = lambda row, *names: next((row[n] for n in names if row.get(n) not in (None, "")), None)
            num = lambda v, kind=int: None if v is None else kind(v)
            print(json.dumps([[r["user"], r["day"], int(r["steps"]), num(get(r, "distance_metres", "distanceMetres")),
                num(get(r, "energy_kilocalories", "energyKilocalories")), num(get(r, "goal")), num(get(r, "percentage"), float)] for r in rows]))
            """
        let rows = try JSONSerialization.jsonObject(with: output(of: program)) as? [[Any?]] ?? []
        return rows.map { row in
            HeldDay(
                user: row[0] as? String, day: row[1] as? String, steps: row[2] as? Int ?? -1, metres: row[3] as? Int,
                kilocalories: row[4] as? Int, goal: row[5] as? Int, percentage: row[6] as? Double)
        }.sorted { ($0.day ?? "") < ($1.day ?? "") }
    }

    private func output(of program: String) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", program, folder.path + "/" + name]
        let result = folder.path + "/held"
        try Data().write(to: URL(fileURLWithPath: result))
        process.standardOutput = FileHandle(forWritingAtPath: result)
        try process.run()
        process.waitUntilExit()
        return try Data(contentsOf: URL(fileURLWithPath: result))
    }

    func sent() -> [String] {
        guard var lines = folder.text(name)?.split(separator: "\n").map(String.init) else { return [] }
        if name.hasSuffix("csv") { lines.removeFirst() }
        return lines
    }

    func close() {}
}
