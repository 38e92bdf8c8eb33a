public import ArgumentParser
import Support
import StepDomain
import StepServices
public import StepViews
import Synchronization

struct ExportCommand: AsyncParsableCommand, TakesDays {
    static let dayOptions = DayRangeOptions.names
    static let takesDayAsArgument = false
    static let documents = [JSONUse(.export, "FILE")]

    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write all that the history has as files for other programs.",
        discussion: """
              istep export steps           a folder with a CSV file for each table
              istep export --what days     one table to standard output
              istep export steps.sqlite    a plain SQLite file
              istep export steps.jsonl --from 2026-01-01
              istep export --format omh    samples as Open mHealth step-count

            Tables: \(Self.tables.joined(separator: ", ")). The manual has their columns. Times have a UTC offset. An existing file is never \
            replaced. 'istep import' reads all but Open mHealth: where there is no history yet, it becomes the same.
            """)

    private static let tables = ExportTable.all.map(\.name).filter { $0 != ExportTable.tables.name }

    @Argument(
        help: ArgumentHelp(
            "The new file or folder, readable by you only (default: standard output).", valueName: "file"),
        completion: .file())
    var file: String?

    @Option(
        help: ArgumentHelp(
            "csv, jsonl, sqlite or omh (default: by the ending of the file .jsonl or .sqlite, else csv).",
            valueName: "form"))
    var format: ExportForm?

    @Option(
        help: ArgumentHelp("Only these tables, such as days,samples.", valueName: "tables"),
        completion: .list(Self.tables))
    var what: String?

    @OptionGroup var range: DayRangeOptions

    @OptionGroup var common: CommonOptions

    private var form: ExportForm { format ?? file.flatMap(ExportForm.init(ofFile:)) ?? .csv }
    private var names: [String]? {
        what?.split(separator: ",").map { $0.trimmingPrefix(" ").lowercased() }
    }

    func validate() throws {
        if let unknown = names?.first(where: { !Self.tables.contains($0) }) {
            throw ValidationError(
                "--what: there is no table '\(unknown)'. There are: \(Self.tables.joined(separator: ", ")).")
        }
        if names?.isEmpty == true { throw ValidationError("--what needs the name of a table.") }
        if form == .omh, what != nil { throw ValidationError("Open mHealth has only samples: leave out --what.") }
        if file?.isEmpty == true { throw ValidationError("The name of the file is empty.") }
        if file != nil { return }
        if common.json { throw ValidationError("--json needs a file: the export itself is printed without one.") }
        switch form {
        case .csv where names?.count != 1:
            throw ValidationError("Name a folder for all tables, or one table to print: --what days.")
        case .sqlite: throw ValidationError("Name a file: a database is not printed.")
        default: break
        }
    }

    func run() async throws {
        let wiring = try Wiring(common)
        let today = wiring.localTime.day(of: wiring.now())
        let days = try range(today: today)
        wiring.noteUnknownZone()
        let progress = file == nil ? Progress(.silent) : wiring.progress()
        defer { progress.end() }
        let isCancelled = Mutex(false)
        let counts = try await withTaskCancellationHandler {
            try await blocking {
                let history = try wiring.history(for: .reading)
                let selection = ExportSelection(
                    form == .omh ? OpenMHealthExport.tables : names,
                    user: try wiring.namedUser(in: history), days: days)
                let exporting = Exporting(history, localTime: wiring.localTime, now: wiring.now)
                return try exporting.export(selection, into: try writer(wiring)) { table, rows in
                    if isCancelled.withLock({ $0 }) { throw CancellationError() }
                    progress.step(ExportView.progress(table, rows), isDetail: rows > 0)
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
        progress.end()
        if let file { try wiring.show(ExportView(file, form, counts)) }
    }

    /// - Throws: `ServiceError.rangeReversed`, `.dayNotBegun`.
    private func range(today: Day) throws -> ClosedRange<Day>? {
        let (first, last) = range.days(today: today)
        if first == nil, last == nil { return nil }
        for day in [first, last].compactMap(\.self) { try ServiceError.checkBegun(day, today: today) }
        if let first, let last, last < first { throw ServiceError.rangeReversed(first, last) }
        return (first ?? Period.calendar.lowerBound)...(last ?? today)
    }

    private func writer(_ wiring: Wiring) throws -> any ExportWriter {
        switch form {
        case .sqlite:
            try ExportFile.checkIsFree(file ?? "")
            return try wiring.exportDatabase(file ?? "")
        case .csv:
            guard let file else {
                let output = StandardExport()
                return CSVExport {
                    $0 == .tables ? nil : output
                } end: {
                    try output.finish()
                }
            }
            let folder = try ExportFolder(file)
            return CSVExport {
                try folder.open($0)
            } end: {
                try folder.finish()
            }
        case .jsonl, .omh:
            let output: any ExportOutput = if let file { try ExportFile(file) } else { StandardExport() }
            if form == .jsonl { return JSONLinesExport(output) }
            return OpenMHealthExport(output, at: wiring.now())
        }
    }
}

extension ExportForm: ExpressibleByArgument {}
