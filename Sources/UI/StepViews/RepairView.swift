public import StepDomain

/// What `istep doctor --repair` has saved, and what is lost.
public struct RepairView: View {
    /// The result for a history that was damaged.
    public struct Repaired: Codable, Sendable, Equatable {
        public var holdings: HistoryHoldings
        /// Where the damaged file is kept.
        public var damaged: String
        public var tables: [SalvageReport.Table]
        public var lostDays: [SalvageReport.LostDays]
        public var resets: [SalvageReport.Reset]
        public var headerNumbers: [SalvageReport.HeaderNumber]
        /// The record of what was shared lacks entries.
        public var isSharingUncertain: Bool

        public init(
            holdings: HistoryHoldings, damaged: String, tables: [SalvageReport.Table],
            lostDays: [SalvageReport.LostDays],
            resets: [SalvageReport.Reset] = [], headerNumbers: [SalvageReport.HeaderNumber] = [],
            isSharingUncertain: Bool
        ) {
            self.holdings = holdings
            self.damaged = damaged
            self.tables = tables
            self.lostDays = lostDays
            self.resets = resets
            self.headerNumbers = headerNumbers
            self.isSharingUncertain = isSharingUncertain
        }

        public init(_ report: SalvageReport) {
            self.init(
                holdings: HistoryHoldings(report.contents), damaged: report.damaged, tables: report.tables,
                lostDays: report.days,
                resets: report.resets, headerNumbers: report.headerNumbers,
                isSharingUncertain: report.isSharingUncertain)
        }
    }

    let history: String
    let repaired: Repaired?
    let correctedSums: Int

    /// - Parameters:
    ///   - repaired: nil if the history is sound.
    ///   - correctedSums: days whose stored sums were wrong.
    public init(history: String, _ repaired: Repaired?, correctedSums: Int = 0) {
        self.history = history
        self.repaired = repaired
        self.correctedSums = correctedSums
    }

    /// The most ranges of days that are listed: more would not be read.
    private static let mostDays = 50

    public func lines(_ style: TextStyle) -> [String] {
        var page = Page(style)
        guard let repaired else {
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
        repaired.holdings.show(in: &page)
        page.path("The damaged file is kept:", repaired.damaged)
        let hurt = repaired.tables.filter { !$0.isWhole }
        if hurt.isEmpty, repaired.resets.isEmpty {
            page.paragraph("All rows were saved.", emphasis: .good)
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
        repaired.showResets(in: &page)
        if !repaired.lostDays.isEmpty {
            page.paragraph("Days that may lack steps; they are shown as partial:")
            for days in repaired.lostDays.prefix(Self.mostDays) {
                page.paragraph(
                    "\(Printable(days.pedometer, limit: 32)): \(Words.days(days.first, days.last))", indent: 2,
                    hanging: 4)
            }
            if repaired.lostDays.count > Self.mostDays {
                page.paragraph(
                    "and \(Words.count(repaired.lostDays.count - Self.mostDays, "more range")); --json lists all",
                    indent: 2)
            }
            page.advice(
                """
                Days that a pedometer still holds are read again by the next sync: \(command: "istep sync"). A backup \
                from before the damage has the others; to list the backups and what they lack: \(command: "istep restore")
                """)
        }
        if repaired.isSharingUncertain {
            page.advice(
                """
                The record of what was shared lacks entries. Old days are not sent again automatically. Check your destinations and the outbox: \
                \(command: "istep outbox"). Share a day that is missing: \(command: "istep share DAY")
                """)
        }
        return page.lines
    }

    /// `istep doctor --repair --json`.
    public struct Document: JSONDocument {
        public var version = 1
        public var history: String
        @Nullable public var repaired: Repaired?
        public var correctedSums: Int

        public static let schema = JSONSchema.object([
            .version,
            .init("history", .text, "Path of the history."),
            .init(
                "repaired",
                .nullable(
                    .object([
                        .init("holdings", HistoryHoldings.schema, "What the repaired history holds."),
                        .init("damaged", .text, "Where the damaged file is kept."),
                        .init(
                            "tables",
                            .list(
                                .object([
                                    .init("name", .text, "Of the table."),
                                    .init("rows", .integer, "Rows that were saved."),
                                    .init(
                                        "rebuilt", .integer,
                                        "Of these: rebuilt from indexes and from rows that refer to them."),
                                    .init(
                                        "rejected", .integer, "Rows that were read and are invalid; they were left out."
                                    ),
                                    .init("gaps", .integer, "Places that could not be read."),
                                ])), "Each table of the history."),
                        .init(
                            "lostDays",
                            .list(
                                .object([
                                    .init("pedometer", .text, "Its name."),
                                    .init("first", .day, "First of the days."),
                                    .init("last", .day, "Last of the days."),
                                ])), "Days that may lack steps."),
                        .init(
                            "resets",
                            .list(
                                .object([
                                    .init("table", .text, "Of the values."),
                                    .init("column", .text, "Of the values."),
                                    .init(
                                        "pedometer", .nullable(.text),
                                        "Its name, for a value of a pedometer; else null."),
                                    .init("rows", .integer, "How many."),
                                ])),
                            "Values that could not be read or cannot be correct; their rows were saved without them."),
                        .init(
                            "headerNumbers", .list(.choice(["user_version", "application_id"])),
                            "Numbers in the header of the file that were wrong and are corrected."),
                        .init("isSharingUncertain", .boolean, "Whether the record of what was shared lacks entries."),
                    ])), "Null where no damage was found."),
            .init("correctedSums", .integer, "Days whose stored sums differed from their samples and were corrected."),
        ])
    }

    public var document: Document { Document(history: history, repaired: repaired, correctedSums: correctedSums) }
}
