// A libFuzzer target: changes values, rows and bytes of exports of istep, in all three forms, and imports them. It
// finds what crashes, what fails in a way that has no words, and times of the future that come in.
// `Tests/Fuzzing/run` builds and starts it.

import ForeignHistories
import Foundation
import GRDB
import StepDatabase
import StepDomain

/// libFuzzer's own main function (llvm.org/docs/LibFuzzer.html, "Using libFuzzer as a library").
@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>, Int) -> CInt
) -> CInt

/// 2026-05-20 13:00 UTC.
let now = Timestamp(Day("2026-05-20")!.daysSince1970 * 86_400 + 13 * 3_600)
let limits = ExportLimits(now: now, models: ["colmi"], formats: ["csv"])
let options = ForeignOptions(
    localTime: .fixed(7_200), zone: .named("test"), leavesOutImpossible: true, fromUser: "Ada", historyVersion: .max,
    now: now)

/// The bytes of one run, taken from the front; zeros when they are used up.
struct Input {
    var bytes: UnsafeBufferPointer<UInt8>
    var next = 0

    var isEmpty: Bool { next >= bytes.count }

    mutating func byte() -> Int {
        guard !isEmpty else { return 0 }
        defer { next += 1 }
        return Int(bytes[next])
    }

    mutating func text() -> String {
        let count = byte() % 40
        return String(decoding: (0..<count).map { _ in UInt8(byte()) }, as: UTF8.self)
    }

    /// What a value may be and what it may not.
    mutating func value() -> String? {
        let values: [String?] = [
            nil, "", "0", "1", "-1", "2", "9223372036854775807", "-9223372036854775808", "1e400", "nan", "true",
            "2026-05-19", "2034-04-20", "9999-12-31", "0001-01-01", "2026-02-30", "2026-05-19T12:00:00+02:00",
            "2034-04-20T00:00:00Z", "@-99999999999+3600", "@9223372036854775807+0", "@-9223372036854775808-50400",
            "{}", "{\"settings\":[]}", "{\"readThrough\":9223372036854775807}", "[", "IMPORT-0000000001", "Ada", "ada",
            "import:csv", "colmi", "pending", "complete", "running", "01000000", "ff",
        ]
        let choice = byte()
        return choice < values.count ? values[choice] : text()
    }
}

typealias Row = (table: ExportTable, values: [String?])

/// An export that comes in as it is.
let base: [Row] = {
    let noon = "2026-05-19T12:00:00+02:00", seconds = "1779184800"
    let content = PackedDay(
        samples: [StepSample(start: Timestamp(1_779_184_800), length: 900, steps: 5, utcOffset: 7_200)]
    ).bytes(of: Day("2026-05-19")!).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let rows: [(ExportTable, [String?])] = [
        (.users, ["Ada"]), (.users, ["Bob"]),
        (.profiles, ["Ada", "2026-01-01", "1.7", "70.0", "female", "1980-01-01", nil]),
        (.plans, ["Bob", "2026-01-01", "1", "2", "3", "4", "5", "6", "0"]),
        (
            .pedometers,
            [
                "1", "Ada", "ring", "colmi", "30:34:42:00:00:01", "public", "{}", "{\"settings\":[]}",
                "{\"readThrough\":\(seconds)}", "false",
            ]
        ),
        (
            .pedometers,
            [
                "2", "Bob", "phone", "import:csv", "IMPORT-0000000001", "public", "{}", "{\"settings\":[]}", "{}",
                "false",
            ]
        ),
        (.syncs, ["1", "Ada", "1", noon, noon, "complete", "80", nil, nil, "1", "0", "0", "0", "700", "0"]),
        (.syncs, ["2", "Bob", "2", noon, noon, "complete", nil, nil, nil, "1", "0", "0", "0", "5", "0"]),
        (.samples, ["Ada", "1", "2026-05-19T11:00:00+02:00", "900", "700", "500.5", nil, "1"]),
        (.samples, ["Bob", "2", noon, "900", "5", nil, nil, "2"]),
        (.implausible, ["Ada", "1", seconds, "60", "9000", nil, nil, "7200", "1"]),
        (.coverage, ["Ada", "1", "2026-05-19T00:00:00+02:00", noon]),
        (.deviceTotals, ["Ada", "1", "2026-05-19", noon, "700", "690"]),
        (.corrections, ["Bob", "2026-05-18", "9000", noon, "forgot"]),
        (.excluded, ["Ada", "2026-05-19T10:00:00+02:00", "2026-05-19T10:30:00+02:00", noon, nil]),
        (.deletedDays, ["Bob", "2026-05-17", "true", noon]),
        (.destinations, ["diary", "2026-05-01", noon, "0", nil, nil, "0"]),
        (
            .shares,
            [
                "diary", "Ada", "2026-05-19", "pending", "false", nil, nil, "0", nil, noon, nil, "refusedUser", nil,
                noon, "true", "0",
            ]
        ),
        (.shareProgress, ["diary", "Ada", "2026-05-01", "1"]),
        (.changedDays, ["Ada", "2026-05-19", "1", "true"]),
        (
            .imports,
            [
                "1", "Bob", noon, "/a.csv", "csv", "0123456789abcdef", "records", "1", "5", "2026-05-19", "2026-05-19",
                "1",
            ]
        ),
        (.importTracks, ["1", "Bob", "2", "2", "2026-05-19T12:15:00+02:00"]),
        (.importContents, ["1", "Bob", "2", "2026-05-19", content]),
        (.importParts, ["Bob", "1", "1"]),
    ]
    // A column that was added since may be empty.
    return rows.map { table, values in
        (table: table, values: values + [String?](repeating: nil, count: table.columns.count - values.count))
    }
}()

func counted(_ rows: [Row]) -> [Row] {
    rows
        + ExportTable.stored.filter { $0 != .tables }.map { table in
            (table: .tables, values: [table.name, String(rows.count { $0.table == table })])
        }
}

/// Changes some values, and now and then the rows.
func changed(_ input: inout Input) -> [Row] {
    var rows = base
    for _ in 0..<input.byte() % 4 {
        let row = input.byte() % rows.count
        switch input.byte() % 8 {
        case 0: rows.remove(at: row)
        case 1: rows.append(rows[row])
        case 2: rows.swapAt(row, input.byte() % rows.count)
        default: rows[row].values[input.byte() % rows[row].values.count] = input.value()
        }
    }
    return input.byte() % 8 == 0 ? rows : counted(rows)
}

// MARK: Files

let folder = NSTemporaryDirectory() + "istep-fuzz-\(getpid())"

func write(_ text: String, _ name: String, _ input: inout Input) {
    var bytes = Array(text.utf8)
    for _ in 0..<input.byte() % 3 where !bytes.isEmpty {
        bytes[(input.byte() << 8 | input.byte()) % bytes.count] = UInt8(input.byte())
    }
    try! Data(bytes).write(to: URL(fileURLWithPath: folder + "/" + name))
}

func writeTables(_ rows: [Row], _ input: inout Input) {
    for table in ExportTable.stored {
        let lines = rows.filter { $0.table == table }.map { row in
            row.values.map { $0.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" } ?? "" }.joined(separator: ",")
        }
        let header = table.columns.map(\.name).joined(separator: ",")
        write(([header] + lines).joined(separator: "\n") + "\n", table.name + ".csv", &input)
    }
}

func writeLines(_ rows: [Row], _ input: inout Input) {
    let lines = rows.map { row in
        let members = zip(row.table.columns, row.values).map { column, value in
            let text = value ?? "null"
            let isBare = value == nil || [.integer, .number, .boolean].contains(column.kind)
            let quoted = String(decoding: try! JSONEncoder().encode(text), as: UTF8.self)
            return ",\"\(column.name)\":" + (isBare ? text : quoted)
        }
        return "{\"table\":\"\(row.table.name)\"" + members.joined() + "}"
    }
    write(lines.joined(separator: "\n") + "\n", "all.jsonl", &input)
}

/// Without types: what a STRICT table would not hold can be in it.
func writeDatabase(_ rows: [Row], _ input: inout Input) {
    let queue = try! DatabaseQueue(path: folder + "/all.sqlite")
    let asText = input.byte() & 1 == 0
    try! queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = OFF") }
    try! queue.write { database in
        for table in ExportTable.stored {
            let columns = table.columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
            try database.execute(sql: "CREATE TABLE \"\(table.name)\" (\(columns))")
        }
        for row in rows {
            let values = row.values.map { value -> (any DatabaseValueConvertible)? in
                guard let value else { return nil }
                if asText { return value }
                if let number = Int(value) { return number }
                if let number = Double(value) { return number }
                return ["true": "1", "false": "0"][value] ?? value
            }
            let marks = values.map { _ in "?" }.joined(separator: ", ")
            try database.execute(
                sql: "INSERT INTO \"\(row.table.name)\" VALUES (\(marks))", arguments: StatementArguments(values))
        }
    }
    try! queue.close()
    guard var bytes = try? Data(contentsOf: URL(fileURLWithPath: folder + "/all.sqlite")) else { return }
    for _ in 0..<input.byte() % 3 {
        bytes[(input.byte() << 16 | input.byte() << 8 | input.byte()) % bytes.count] = UInt8(input.byte())
    }
    try! bytes.write(to: URL(fileURLWithPath: folder + "/all.sqlite"))
}

// MARK: Imports

/// Errors that have words for users.
func checked(_ body: () throws -> Void) {
    do { try body() } catch is ImportError {} catch is HistoryError {} catch { fatalError("no words for \(error)") }
}

func importAll(_ path: String) {
    checked {
        if let export = try ForeignFiles().export(path) { _ = try StepDatabase.previewRestoring(export, limits) }
    }
    checked {
        let history = try ForeignFiles().read(path, options)
        for track in history.tracks {
            precondition(track.until <= now + 86_400, "it reaches into the future")
            for sample in track.parts.flatMap({ PackedDay($0.content, of: $0.day)?.samples ?? [] }) {
                precondition(sample.start + sample.length <= now + 86_400 && sample.steps > 0, "an impossible sample")
            }
        }
        if history.isEmpty { return }
        _ = try StepDatabase.previewWithoutHistory(history, of: .new("Ada"), at: now)
    }
}

func run(_ input: inout Input) {
    try? FileManager.default.removeItem(atPath: folder)
    try! FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let form = input.byte() % 3, rows = changed(&input)
    switch form {
    case 0:
        writeTables(rows, &input)
        importAll(folder)
    case 1:
        writeLines(rows, &input)
        importAll(folder + "/all.jsonl")
    default:
        writeDatabase(rows, &input)
        importAll(folder + "/all.sqlite")
    }
}

// The base is right: otherwise all that follows is refused for the wrong reason.
for form in 0..<3 {
    let bytes: [UInt8] = [UInt8(form), 0, 1]
    bytes.withUnsafeBufferPointer { buffer in
        var input = Input(bytes: buffer)
        run(&input)
    }
    let path = [folder, folder + "/all.jsonl", folder + "/all.sqlite"][form]
    guard let export = try ForeignFiles().export(path) else { fatalError("no export in form \(form)") }
    _ = try StepDatabase.previewRestoring(export, limits)
}
atexit { try? FileManager.default.removeItem(atPath: folder) }

var count = CommandLine.argc
var arguments = CommandLine.unsafeArgv
exit(
    runFuzzer(&count, &arguments) { bytes, size in
        var input = Input(bytes: UnsafeBufferPointer(start: bytes, count: size))
        run(&input)
        return 0
    })
