/// The report that was written.
public struct ReportView: View {
    let file: String
    let bytes: Int
    let days: Int

    public init(file: String, bytes: Int, days: Int) {
        self.file = file
        self.bytes = bytes
        self.days = days
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        page.path("\(Words.count(days, "day")), \(Words.size(bytes)):", file)
        return page.lines
    }

    /// `istep report --json`.
    public static let keys: [JSONKey<ReportView>] = [
        .version,
        .init("file", .text, "The file as it was named.") { $0.file },
        .init("bytes", .integer, "Its size.") { $0.bytes },
        .init("days", .integer, "Number of days in it, from the first known one.") { $0.days },
    ]
}

extension JSONDocument {
    public static let report = JSONDocument(
        "report", "The report that was written.",
        ReportView.self)
}
