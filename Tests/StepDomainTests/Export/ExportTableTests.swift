import Foundation
import StepDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct ExportTableTests {
    private func markdown(_ table: ExportTable) -> String {
        let rows = table.columns.map {
            "| `\($0.name)` | \($0.kind.rawValue)\($0.isOptional ? " or empty" : "") | \($0.text) |\n"
        }
        return """
            ### `\(table.name)`

            \(table.text)\(table.isCalculated ? " Calculated: an import ignores it." : "")

            | column | type | |
            |---|---|---|
            \(rows.joined())
            """
    }

    @Test func `the manual has all tables and columns, and no others`() throws {
        let manual = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../../.github/manual/export.md")
        let text = try String(contentsOf: manual, encoding: .utf8)
        let section = try #require(text.range(of: "## Tables\n\n"))
        let expected = ExportTable.all.map(markdown).joined(separator: "\n")
        for (found, wanted) in zip(
            text[section.upperBound...].split(separator: "\n", omittingEmptySubsequences: false),
            expected.split(separator: "\n", omittingEmptySubsequences: false))
        where found != wanted {
            Issue.record("the manual has: \(found)\nthe list has: \(wanted)")
            return
        }
        #expect(String(text[section.upperBound...]) == expected)
    }

    @Test func `no two tables have the same columns: an import recognises them by these`() {
        let columns = ExportTable.all.map { $0.columns.map(\.name) }
        #expect(Set(columns).count == columns.count)
        #expect(Set(ExportTable.all.map(\.name)).count == ExportTable.all.count)
    }

    @Test(arguments: [
        (1_400_000_000, 7200, "2014-05-13T18:53:20+02:00"), (0, 0, "1970-01-01T00:00:00+00:00"),
        (1_400_000_000, -12_600, "2014-05-13T13:23:20-03:30"), (1_400_000_000, -2670, "2014-05-13T16:08:50-00:44:30"),
        (-5, 3600, "@-5+3600"), (253_402_300_800, -60, "@253402300800-60"), (100, -3600, "@100-3600"),
    ]) func `a time is read as it was written`(seconds: Int, offset: Int, text: String) throws {
        #expect(ExportValue.time(seconds, utcOffset: offset) == .text(text))
        let read = try #require(ExportValue.parsed(time: text))
        #expect(read.seconds == seconds && read.utcOffset == offset)
    }

    @Test(arguments: [
        "", "@", "@5", "2014-05-13", "2014-05-13T16:53:20", "2014-05-13T16:53:20Z", "2014-13-13T16:53:20+02:00",
        "2014-05-13T24:53:20+02:00", "2014-05-13 16:53:20+02:00", "2014-05-13T16:53:20+02:0x",
    ]) func `no other text is a time`(text: String) { #expect(ExportValue.parsed(time: text) == nil) }

    @Test func `a selection has the tables of imports only without days`() {
        func names(_ what: [String]?, days: ClosedRange<Day>? = nil) -> [String] {
            ExportSelection(what, user: nil, days: days).tables.map(\.name)
        }
        let day = Day(daysSince1970: 16_180)
        #expect(names(nil) == ExportTable.all.map(\.name))
        #expect(!names(nil, days: day...day).contains("imports") && names(nil, days: day...day).contains("samples"))
        #expect(names(["days"], days: day...day) == ["days", "tables"])
    }
}
