public import StepDomain

/// What `istep doctor --repair` has saved, and what is lost.
public struct RepairView: View {
    let history: String
    let report: SalvageReport?
    let correctedSums: Int

    /// - Parameters:
    ///   - report: of a history that was damaged; nil if it is sound.
    ///   - correctedSums: days whose stored sums were wrong.
    public init(history: String, _ report: SalvageReport?, correctedSums: Int = 0) {
        self.history = history
        self.report = report
        self.correctedSums = correctedSums
    }

    /// The most ranges of days that are listed: more would not be read.
    private static let maximumDays = 50
    /// The most names of other tables.
    private static let maximumTables = 10

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        guard let report else {
            if correctedSums > 0 {
                page.path(
                    "No damage found; the daily sums of \(Words.count(correctedSums, "day")) were wrong and are corrected:",
                    history)
            } else {
                page.path("No damage found, nothing changed:", history)
            }
            return page.lines
        }
        page.path("Repaired:", history)
        report.contents.show(in: &page)
        page.path("The damaged file is kept:", report.damaged)
        let hurt = report.tables.filter { !$0.isWhole }
        if hurt.isEmpty, report.resets.isEmpty {
            let all = report.otherTables.isEmpty ? "All rows" : "All rows of istep's tables"
            page.paragraph("\(all) were saved.", emphasis: .good)
        } else if !hurt.isEmpty {
            page.paragraph("Rows that were saved, and what is lost:")
            for table in hurt {
                var parts = [Words.count(table.rows, "row")]
                if table.gaps > 0 { parts.append("unreadable in \(Words.count(table.gaps, "place"))") }
                if table.rejected > 0 { parts.append("\(Words.grouped(table.rejected)) invalid, left out") }
                if table.rebuilt > 0 { parts.append("\(Words.grouped(table.rebuilt)) rebuilt from other rows") }
                page.paragraph(
                    "\(Printable(table.name, limit: 32)): \(parts.joined(separator: "; "))", indent: 2, hanging: 4)
            }
        }
        report.showResets(in: &page)
        if !report.otherTables.isEmpty {
            let names = report.otherTables.prefix(Self.maximumTables).map { Printable($0, limit: 32).description }
            let rest = report.otherTables.count - names.count
            page.paragraph(
                "Tables that are not istep's were not saved. The damaged file has them: "
                    + names.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : ""), emphasis: .doubtful,
                hanging: 2)
        }
        if !report.days.isEmpty {
            page.paragraph("Days that may lack steps; they are shown as partial:")
            for days in report.days.prefix(Self.maximumDays) {
                page.paragraph(
                    "\(Printable(days.pedometer, limit: 32)): \(Words.days(days.first, days.last))", indent: 2,
                    hanging: 4)
            }
            if report.days.count > Self.maximumDays {
                page.paragraph(
                    "and \(Words.count(report.days.count - Self.maximumDays, "more range")); --json lists all",
                    indent: 2)
            }
            page.advice(
                """
                Days that a pedometer still holds are read again by the next sync: \(command: "istep sync"). A backup \
                from before the damage has the others; to list the backups and what they lack: \(command: "istep restore")
                """)
        }
        if report.isSharingUncertain {
            page.advice(
                """
                The record of what was shared lacks entries. Old days are not sent again automatically. Check your destinations and the outbox: \
                \(command: "istep outbox"). Share a day that is missing: \(command: "istep share DAY")
                """)
        }
        return page.lines
    }

    /// `istep doctor --repair --json`.
    public static let keys: [JSONKey<RepairView>] = [
        .version,
        .init("history", .text, "Path of the history.") { $0.history },
        .optional("repaired", "Null where no damage was found.") { $0.report },
        .init("correctedSums", .integer, "Days whose stored sums differed from their samples and were corrected.") {
            $0.correctedSums
        },
    ]
}

extension SalvageReport: Described {
    public static let keys: [JSONKey<Self>] = [
        .record("holdings", "What the repaired history holds.") { $0.contents },
        .init("damaged", .text, "Where the damaged file is kept.") { $0.damaged },
        .list("tables", "Each table of the history.") { $0.tables },
        .list("lostDays", "Days that may lack steps.") { $0.days },
        .list(
            "resets",
            "Values that could not be read or cannot be correct: their rows were saved without them. Those of `checksum` are kept."
        ) {
            $0.resets
        },
        .init(
            "headerNumbers", .list(.choice(HeaderNumber.self)),
            "Numbers in the header of the file that were wrong and are corrected."
        ) { $0.headerNumbers.map(\.rawValue) },
        .init(
            "otherTables", .list(.text),
            "Tables that are not istep's: they were not saved, and the damaged file has them."
        ) { $0.otherTables },
        .init("isSharingUncertain", .boolean, "Whether the record of what was shared lacks entries.") {
            $0.isSharingUncertain
        },
    ]
}

extension SalvageReport.Table: Described {
    public static let keys: [JSONKey<Self>] = [
        .init("name", .text, "Of the table.") { $0.name },
        .init("rows", .integer, "Rows that were saved.") { $0.rows },
        .init("rebuilt", .integer, "Of these: rebuilt from indexes and from rows that refer to them.") { $0.rebuilt },
        .init("rejected", .integer, "Rows that were read and are invalid; they were left out.") { $0.rejected },
        .init("gaps", .integer, "Places that could not be read.") { $0.gaps },
    ]
}

extension SalvageReport.LostDays: Described {
    public static let keys: [JSONKey<Self>] = [
        .init("pedometer", .text, "Its name.") { $0.pedometer },
        .init("first", .day, "First of the days.") { $0.first.description },
        .init("last", .day, "Last of the days.") { $0.last.description },
    ]
}

extension SalvageReport.Reset: Described {
    public static let keys: [JSONKey<Self>] = [
        .init("table", .text, "Of the values.") { $0.table },
        .init("column", .text, "Of the values.") { $0.column },
        .init("pedometer", .nullable(.text), "Its name, for a value of a pedometer; else null.") { $0.pedometer },
        .init("rows", .integer, "How many.") { $0.rows },
    ]
}

extension JSONDocument {
    public static let repair = JSONDocument(
        "repair", "What was saved of a damaged history, and what is lost.",
        RepairView.self)
}
