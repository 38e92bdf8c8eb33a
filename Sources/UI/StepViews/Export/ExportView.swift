public import StepDomain

/// The form of an export.
public enum ExportForm: String, CaseIterable, Sendable {
    case csv, jsonl, sqlite, omh

    public var title: String {
        switch self {
        case .csv: "CSV"
        case .jsonl: "JSON lines"
        case .sqlite: "SQLite"
        case .omh: "Open mHealth step-count"
        }
    }

    /// The form that the ending of a name says; nil for any other ending.
    public init?(ofFile path: String) {
        switch path.lowercased().split(separator: ".").last {
        case "jsonl", "ndjson": self = .jsonl
        case "sqlite", "db": self = .sqlite
        default: return nil
        }
    }
}

/// An export that was written.
public struct ExportView: View {
    let path: String
    let form: ExportForm
    let counts: ExportCounts

    public init(_ path: String, _ form: ExportForm, _ counts: ExportCounts) {
        (self.path, self.form, self.counts) = (path, form, counts)
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        page.path("\(form.title):", path)
        Self.show(counts, on: &page)
        return page.lines
    }

    static func show(_ counts: ExportCounts, on page: inout TextPage) {
        let tables = counts.tables.filter { $0.rows > 0 }
        if tables.isEmpty { page.paragraph("It has no rows.", indent: 2) }
        for table in tables { page.labelled(table.name, StyledText(Words.count(table.rows, "row")), width: 22) }
        if counts.leftOut > 0 {
            page.paragraph(
                "Left out: \(Words.count(counts.leftOut, "row")) of times that no clock can have shown: before 2000, or in the future.",
                emphasis: .doubtful, hanging: 2)
        }
    }

    /// What is shown while a table is written.
    public static func progress(_ table: String, _ rows: Int) -> String {
        rows == 0 ? table : "\(table): \(Words.count(rows, "row"))"
    }
}

/// `istep export --json`.
extension ExportView: Described {
    public static let keys: [JSONKey<ExportView>] = [
        .version, .init("path", .text, "The file or folder as it was named.") { $0.path },
        .init("format", .choice(ExportForm.self), "Its form.") { $0.form.rawValue },
        .list("tables", "Its tables.") { $0.counts.tables },
    ]
}

extension ExportCounts.Table: Described {
    public static let keys: [JSONKey<ExportCounts.Table>] = [
        .init("name", .text, "Its name.") { $0.name },
        .init("rows", .integer, "The number of its rows.") { $0.rows },
    ]
}

/// An export that becomes the history, or would become it.
public struct ExportRestoreView: View {
    let path: String
    /// The tables that it does not have.
    let missing: [ExportTable]
    let counts: ExportCounts
    let isDone: Bool

    public init(_ export: any ExportedHistory, _ counts: ExportCounts, isDone: Bool) {
        (path, missing, self.counts, self.isDone) = (export.path, export.missing, counts, isDone)
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        page.path("istep export:", path)
        page.paragraph(
            isDone
                ? "This is the history now." : "There is no history yet: it would become that of the export.", indent: 2
        )
        ExportView.show(counts, on: &page)
        for words in missingWords { page.paragraph(words, indent: 2) }
        return page.lines
    }

    /// What a part of a history cannot say.
    private var missingWords: [String] {
        if missing.isEmpty { return [] }
        let names = missing.filter { $0 != .tables }.map(\.name)
        var words: [String] = []
        if !names.isEmpty {
            words.append(
                "This is a part of a history: it lacks \(names.joined(separator: ", ")). Nothing of them comes in.")
        }
        if missing.contains(.tables) {
            words.append("It lacks the table tables: it cannot be told whether rows are missing.")
        }
        if missing.contains(.imports) {
            words.append(
                "Sources of imports come in with their steps. 'istep imports remove' cannot take them out, and a later import becomes a source of its own."
            )
        }
        return words
    }
}

/// `istep import --json` of an export.
extension ExportRestoreView: Described {
    public static let keys: [JSONKey<ExportRestoreView>] = [
        .version, .init(.path) { $0.path },
        .init(.isStored) { $0.isDone },
        .list("tables", "Its tables.") { $0.counts.tables },
        .init("leftOut", .integer, "Rows of times before 2000 or in the future, which are left out.") {
            $0.counts.leftOut
        },
        .init("missing", .list(.text), "Tables that it lacks; empty for a whole history.") {
            $0.missing.map(\.name)
        },
    ]
}

extension JSONDocument {
    public static let takeover = JSONDocument(
        "takeover", "An export that becomes the history, or would become it.",
        ExportRestoreView.self)
    public static let export = JSONDocument(
        "export", "The export that was written.",
        ExportView.self)
}
