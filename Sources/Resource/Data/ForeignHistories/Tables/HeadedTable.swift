import StepDomain

/// A table whose columns have fixed names.
struct HeadedTable {
    private var text: DelimitedText
    private let columns: [String: Int]
    let path: String

    /// - Parameter skipped: lines before the names.
    init(_ file: ForeignFile, skipped: Int = 0) throws(ImportError) {
        path = file.path
        text = try DelimitedText(file, separator: UInt8(ascii: ","))
        for _ in 0..<skipped { _ = try text.next() }
        let names = try text.next()
        columns = (0..<(names?.count ?? 0)).reduce(into: [:]) { columns, index in
            let name = (names?.text(index) ?? "").lowercased()
            if columns[name] == nil { columns[name] = index }
        }
    }

    var line: Int { text.line }

    func has(_ name: String) -> Bool { columns[name] != nil }

    /// The values of the named columns in the next line; empty where there is none. Nil at the end.
    mutating func next(_ names: [String]) throws(ImportError) -> [String]? {
        guard let record = try text.next() else { return nil }
        return names.map { name in columns[name].map(record.text) ?? "" }
    }

    func wrong(_ what: String) -> ImportError { .malformed(path: path, reason: "line \(line) has no \(what)") }

    /// The names of a table without reading it.
    static func names(of file: ForeignFile, line: Int = 0) -> [String] {
        guard file.kind == .text else { return [] }
        let lines = file.headText.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard lines.indices.contains(line) else { return [] }
        return lines[line].split(separator: ",", omittingEmptySubsequences: false).map { field in
            String(field.drop { $0 == "\u{feff}" }.trimmingPrefix("\"")).lowercased().replacing("\"", with: "")
        }
    }
}

extension String {
    /// The text as a date with or without a time.
    var writtenTime: WrittenTime? { WrittenTime(Array(utf8)[...], order: nil) }

    /// A whole number, or a decimal one rounded to it.
    var wholeNumber: Int? { Int(self) ?? Double(self).flatMap { abs($0) < 1e12 ? Int($0.rounded()) : nil } }
}
