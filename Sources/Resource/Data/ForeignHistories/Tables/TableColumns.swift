import StepDomain
import Support

/// Which columns of a table have days, times and steps.
struct TableColumns {
    /// Columns, from 0.
    var day: Int?
    /// Of the day, beside `day`.
    var time: Int?
    /// A date with a time, or a time alone.
    var end: Int?
    /// The date of the end, where that has a column of its own: `end` has the time.
    var endDay: Int?
    var steps: Int
    /// Whether `steps` is a counter that begins with each day.
    var isCounter = false
    var device: Int?
    var hasHeader: Bool

    private static let words: [(role: String, words: [String])] = [
        ("startday", ["startdate", "datestart", "startdatum", "startday"]),
        ("starttime", ["starttime", "timestart", "startzeit"]),
        ("endday", ["enddate", "dateend", "enddatum"]),
        ("endtime", ["endtime", "timeend", "endzeit"]),
        (
            "start",
            [
                "start", "begin", "beginn", "von", "from", "debut", "inicio", "inizio", "datetime", "timestamp",
                "startdatetime",
            ]
        ),
        ("end", ["end", "finish", "ende", "bis", "to", "fin", "fine", "until", "enddatetime"]),
        (
            "day",
            [
                "date", "day", "datum", "tag", "dag", "fecha", "data", "jour", "dia", "giorno", "päivä", "calendardate",
                "recorddate",
            ]
        ),
        ("time", ["time", "uhrzeit", "zeit", "hora", "heure", "ora", "tijd"]),
        ("device", ["device", "gerät", "source", "sourcename", "datasource", "quelle", "app"]),
    ]

    private static let steps = [
        "step", "schritt", "pasos", "passos", "passi", "stappen", "steg", "kroki", "askel", "шаг", "pas",
    ]
    private static let notSteps = [
        "goal", "ziel", "target", "meta", "length", "länge", "cadence", "distance", "duration",
    ]

    private static func plain(_ name: String) -> String { String(name.lowercased().filter(\.isLetter)) }

    /// - Parameters:
    ///   - first: the first record.
    ///   - sample: records after it.
    ///   - wanted: what the user has named, by meaning.
    init(
        _ first: DelimitedText.Record, sample: [DelimitedText.Record], wanted: [String: String], path: String
    ) throws(ImportError) {
        let names = (0..<first.count).map(first.text)
        hasHeader = !(0..<first.count).contains { WrittenTime(first[$0], order: nil) != nil }
        var found: [String: Int] = [:]
        if hasHeader {
            for (index, name) in names.enumerated() {
                let plain = Self.plain(name)
                guard let role = Self.words.first(where: { $0.words.contains(plain) })?.role, found[role] == nil else {
                    continue
                }
                found[role] = index
            }
        }
        // `Date, Start, End`: the start is a time of the date.
        if hasHeader, found["day"] != nil, let start = found["start"], !sample.isEmpty,
            sample.allSatisfy({ WrittenTime($0[start], order: nil) == nil && WrittenTime.clock($0[start]) != nil })
        {
            (found["starttime"], found["start"]) = (start, nil)
        }
        // By its number where its name has a mark of the option.
        func column(_ index: Int?) -> String {
            index.map { names[$0].contains { $0 == "," || $0 == "=" } ? "\($0 + 1)" : names[$0] } ?? "COLUMN"
        }
        let example = names.firstIndex { Self.plain($0).contains("step") }
        let wording = shellQuoted("day=\(column(names.isEmpty ? nil : 0)),steps=\(column(example))")
        let advice = "Name the columns, or give their numbers: --columns \(wording)"
        for (role, name) in wanted where role != "order" {
            guard
                let index = names.firstIndex(where: { $0.lowercased() == name.lowercased() })
                    ?? Self.number(name, of: first.count)
            else {
                throw .columns(
                    "\(path) has no column \(name).",
                    advice: "Its columns: \(names.map { String($0.prefix(40)) }.joined(separator: ", "))")
            }
            found[role == "start" ? "start" : role] = index
        }
        if wanted["day"] != nil || wanted["start"] != nil {
            for role in ["startday", "starttime"] { found[role] = nil }
        }
        let steps = try Self.stepColumn(names, found, wanted, first, sample, hasHeader, advice)
        self.steps = steps.column
        isCounter = steps.isCounter
        device = found["device"]
        (day, time) = (found["startday"] ?? found["start"] ?? found["day"], found["starttime"] ?? found["time"])
        if found["startday"] == nil, found["start"] != nil { time = nil }
        if wanted["day"] != nil {
            // Beside a day, a counter needs the time of the reading. Elsewhere `Time` can be the time walked.
            let isNeeded =
                isCounter && found["time"] != found["day"]
                && found["day"].map { day in sample.allSatisfy { Self.clock($0[day]) == nil } } == true
            (day, time) = (found["day"], wanted["time"] != nil || isNeeded ? found["time"] : nil)
        }
        if wanted["start"] != nil { (day, time) = (found["start"], nil) }
        end = found["end"] ?? found["endtime"] ?? found["endday"]
        if wanted["end"] == nil, let day = found["endday"], let time = found["endtime"] { (endDay, end) = (day, time) }
        if day == nil, let time, sample.first.map({ WrittenTime($0[time], order: nil) != nil }) == true {
            (day, self.time) = (time, nil)
        }
        if day == nil {
            let dates = (0..<first.count).filter { column in
                column != self.steps && !sample.isEmpty
                    && sample.allSatisfy { WrittenTime($0[column], order: nil) != nil }
            }
            guard dates.count == 1 || dates.count == 2 && !hasHeader else {
                throw .columns("It is not clear which column of \(path) has the days.", advice: advice)
            }
            day = dates[0]
        }
    }

    /// The time of day of a date that has one.
    private static func clock(_ field: ArraySlice<UInt8>) -> Int? { WrittenTime(field, order: nil)?.clock }

    /// A column by its number, from 1.
    private static func number(_ text: String, of count: Int) -> Int? {
        Int(text).flatMap { (1...count).contains($0) ? $0 - 1 : nil }
    }

    private static func stepColumn(
        _ names: [String], _ found: [String: Int], _ wanted: [String: String], _ first: DelimitedText.Record,
        _ sample: [DelimitedText.Record],
        _ hasHeader: Bool, _ advice: String
    ) throws(ImportError) -> (column: Int, isCounter: Bool) {
        if wanted["counter"] != nil, let column = found["counter"] { return (column, true) }
        if wanted["steps"] != nil, let column = found["steps"] { return (column, false) }
        if hasHeader {
            let fitting = names.indices.filter { index in
                let plain = plain(names[index])
                return steps.contains { $0 == "pas" ? plain == "pas" : plain.contains($0) }
                    && !notSteps.contains { plain.contains($0) }
            }
            if fitting.count == 1 { return (fitting[0], false) }
            if fitting.count > 1 {
                throw .columns(
                    "Several columns can have the steps: \(fitting.map { String(names[$0].prefix(40)) }.joined(separator: ", ")).",
                    advice: advice)
            }
            throw .columns(
                "No column is named after steps: \(names.map { String($0.prefix(40)) }.joined(separator: ", ")).",
                advice: advice)
        }
        let marks = WrittenNumber.Marks(decimal: UInt8(ascii: "."), grouping: nil)
        let numbers = (0..<first.count).filter { column in
            ([first] + sample).allSatisfy { record in
                let field = record[column]
                return !field.isEmpty && WrittenTime(field, order: nil) == nil
                    && WrittenNumber.value(field, marks) != nil
            }
        }
        guard numbers.count == 1 else {
            throw .columns("The table has no names, and it is not clear which column has the steps.", advice: advice)
        }
        return (numbers[0], false)
    }

    /// The names of the columns that are used, for the preview.
    func description(_ first: DelimitedText.Record) -> String {
        func name(_ column: Int) -> String {
            hasHeader ? "\"\(first.text(column).prefix(40))\"" : "column \(column + 1)"
        }
        var parts = ["days from \(day.map(name) ?? "nothing")"]
        if let time { parts.append("times from \(name(time))") }
        if let end { parts.append("ends from \(name(end))") }
        parts.append("\(isCounter ? "a counter" : "steps") from \(name(steps))")
        if let device { parts.append("sources from \(name(device))") }
        return parts.joined(separator: ", ")
    }
}
