public import StepDomain

/// Where the lines of an export go.
public protocol ExportOutput: AnyObject {
    /// - Parameter text: without a line end.
    func line(_ text: String) throws
    /// Called after the last line.
    func finish() throws
}

/// CSV (RFC 4180, but lines end as elsewhere on this system): a header, and values in quotes only where they need them.
public enum CSVText {
    /// A value that is not known is empty; an empty text is in quotes.
    public static func line(_ values: [ExportValue]) -> String {
        values.map { value in
            switch value {
            case .text(let text): quoted(text)
            default: value.text ?? ""
            }
        }.joined(separator: ",")
    }

    public static func header(_ columns: some Sequence<ExportTable.Column>) -> String {
        columns.map(\.name).joined(separator: ",")
    }

    private static func quoted(_ text: String) -> String {
        let isPlain =
            !text.utf8.contains { [0x22, 0x2c, 0x0a, 0x0d].contains($0) } && text.first != " " && text.last != " "
            && !text.isEmpty
        return isPlain ? text : "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}

/// Writes each table as CSV into an output of its own.
public final class CSVExport: ExportWriter {
    private let open: (ExportTable) throws -> (any ExportOutput)?
    private let end: () throws -> Void
    private var output: (any ExportOutput)?

    /// - Parameters:
    ///   - open: the output of a table; nil for one that is left out.
    ///   - end: called after the last row.
    public init(open: @escaping (ExportTable) throws -> (any ExportOutput)?, end: @escaping () throws -> Void) {
        (self.open, self.end) = (open, end)
    }

    public func begin(_ table: ExportTable) throws {
        output = try open(table)
        try output?.line(CSVText.header(table.columns))
    }

    public func row(_ values: [ExportValue]) throws { try output?.line(CSVText.line(values)) }

    public func finish() throws {
        output = nil
        try end()
    }
}

/// Writes each row as a JSON object on a line of its own (https://jsonlines.org), with the name of its table.
public final class JSONLinesExport: ExportWriter {
    private let output: any ExportOutput
    private var keys: [String] = []

    public init(_ output: any ExportOutput) { self.output = output }

    public func begin(_ table: ExportTable) {
        keys = ["{\"table\":\"\(table.name)\""] + table.columns.map { ",\"\($0.name)\":" }
    }

    public func row(_ values: [ExportValue]) throws {
        let members = zip(keys.dropFirst(), values).map { $0 + JSONLine.text($1) }
        try output.line(keys[0] + members.joined() + "}")
    }

    public func finish() throws { try output.finish() }
}

/// Values as JSON (RFC 8259).
enum JSONLine {
    static func text(_ value: ExportValue) -> String {
        switch value {
        case .text(let text): quoted(text)
        case .number(let number) where !number.isFinite: "null"
        default: value.text ?? "null"
        }
    }

    /// Characters that would control a terminal are escaped.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case _ where scalar.value < 0x20 || Printable.isHarmful(scalar): result += JSONText.escape(scalar)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
