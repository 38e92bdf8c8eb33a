import StepDomain

/// Any table of text with a date or a time and a number in each line.
///
/// It is read twice: the first time to find out how dates and numbers are written, and what a line stands for.
struct CSVReader: FormatReader {
    let format = ForeignFormat(key: "csv", title: "CSV", files: "any table with a date or time and steps in each line")

    /// The first looks at all values, before any of them is taken for a date or a number.
    let passes = 2

    func files(of tree: FileTree) throws(ImportError) -> [ForeignFile] {
        tree.files.filter { file in
            guard file.kind == .text else { return false }
            return Self.separator(of: file.head) != nil
        }
    }

    /// The mark that divides most of the first lines into equally many fields; nil if none divides any.
    static func separator(of head: [UInt8]) -> UInt8? {
        let lines = head.split { $0 == 0x0a || $0 == 0x0d }.prefix(20)
        let complete = lines.count > 1 && head.count == ForeignFile.headLength ? lines.dropLast() : lines
        let counted = [UInt8(ascii: ";"), 0x09, UInt8(ascii: ","), UInt8(ascii: "|")].map {
            mark -> (mark: UInt8, lines: Int) in
            let counts = complete.map { Self.count(mark, in: $0) }.filter { $0 > 0 }
            let usual = Dictionary(grouping: counts, by: \.self).values.map(\.count).max() ?? 0
            return (mark, usual)
        }
        return counted.filter { $0.lines > 0 && 2 * $0.lines >= complete.count }.max { $0.lines < $1.lines }?.mark
    }

    /// Without those in quotes.
    private static func count(_ mark: UInt8, in line: ArraySlice<UInt8>) -> Int {
        var (count, isQuoted) = (0, false)
        for byte in line {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == mark, !isQuoted { count += 1 }
        }
        return count
    }

    /// Lines before the names: a title, or `sep=;` of Excel.
    private static let maximumTitles = 20

    private static func isTitle(_ record: DelimitedText.Record) -> Bool {
        record.count == 1 || record.text(0).lowercased() == "sep="
    }

    func read(_ files: [ForeignFile], of tree: FileTree, into collector: ForeignCollector) throws(ImportError) {
        for file in files {
            guard let separator = Self.separator(of: file.head) else { continue }
            var table = try DelimitedText(file, separator: separator)
            var titles = 0
            guard var first = try table.next() else { continue }
            while titles < Self.maximumTitles, Self.isTitle(first), let next = try table.next() {
                (first, titles) = (next, titles + 1)
            }
            var sample: [DelimitedText.Record] = []
            while sample.count < 20, let record = try table.next() { sample.append(record) }
            let columns = try TableColumns(first, sample: sample, wanted: collector.options.columns, path: file.path)
            var survey = TableSurvey(columns, file.path, collector.localTime)
            if !columns.hasHeader { survey.look(at: first) }
            for record in sample { survey.look(at: record) }
            while let record = try table.next() { survey.look(at: record) }
            let reading = try survey.reading(collector.options)
            collector.notes.append(.decision("Read as: \(columns.description(first))\(reading.words)"))
            var rows = try DelimitedText(file, separator: separator)
            for _ in 0..<(titles + (columns.hasHeader ? 1 : 0)) { _ = try rows.next() }
            var writer = TableRows(
                columns, reading, path: file.path, name: Self.sourceName(of: file.baseName), collector)
            while let record = try rows.next() { try writer.add(record, line: rows.line) }
            try writer.finish()
        }
    }
}

extension CSVReader {
    /// What identifies the source of a table without devices: the name of its file up to the first point, without the
    /// date of the export and what follows it in digits, so that the next export is of the same source. A number that
    /// belongs to the name stays: `ring2`, `ring-2`.
    static func sourceName(of file: String) -> String {
        // In parentheses: the copy that a browser makes.
        let name = file.replacing(/\ *\([0-9]+\)/, with: "")
        // Of a date: four digits, or two short numbers side by side.
        let date = name.firstRange(of: /[0-9]{4}|(^|[^0-9\p{L}])[0-9]{1,3}[-_.\ ][0-9]{1,3}(?![0-9])/)
        let before = name[..<(date?.lowerBound ?? name.endIndex)], stem = before.prefix { $0 != "." }
        let after = stem.count < before.count ? "" : name[before.endIndex...].prefix { $0 != "." }
        let words = stem.split { !$0.isLetter && !$0.isWholeNumber } + after.split { !$0.isLetter }
        return words.isEmpty ? "table" : words.joined(separator: " ")
    }
}

/// What the lines of a table show of how it is written.
struct TableSurvey {
    private let columns: TableColumns
    private let path: String
    private let localTime: LocalTime
    private var isDayFirst = false, isMonthFirst = false, hasAmbiguous = false, hasPoints = false
    private var hasClock = false, hasTimeBesideMidnight = false, hasMoments = false
    /// Whether all numbers of seconds since 1970 are midnights of UTC.
    private var hasOnlyMidnights = true
    /// Times with `Z`, with the offset 0 while clocks here show another time, and with other offsets.
    private var hasZ = false, hasZeroOffsets = false, hasOtherOffsets = false
    /// By the order of dates that can be read in two ways.
    private var dates: [WrittenTime.Order?: DateDistances] = [:]

    private struct DateDistances {
        var last: Day?
        var lines = 0
        /// Days between lines.
        var days: Set<Int> = []

        mutating func add(_ day: Day) {
            if let last, last != day { days.insert(abs(last.distance(to: day))) }
            (last, lines) = (day, lines + 1)
        }

        /// Dates of weeks or months.
        var isOnceAWeek: Bool {
            lines > 2 && !days.isEmpty && (days.allSatisfy { $0 % 7 == 0 } || days.allSatisfy { $0 >= 28 })
        }
    }
    private var points: Set<Mark> = []
    /// Seconds between lines, and how many times each; lines can be in descending order.
    private var distances: [Int: Int] = [:]
    private var last: Int?
    /// Times of day, at most two of them.
    private var clocks: Set<Int> = []

    /// How a point or comma stands in numbers.
    private enum Mark: Hashable {
        /// Followed by three digits and nothing else, or more than once.
        case point, comma, certainDecimalPoint, certainDecimalComma, certainGroupingPoint, certainGroupingComma
    }

    init(_ columns: TableColumns, _ path: String, _ localTime: LocalTime) {
        self.columns = columns
        self.path = path
        self.localTime = localTime
    }

    mutating func look(at record: DelimitedText.Record) {
        guard let day = columns.day else { return }
        let field = record[day]
        if let parts = WrittenTime.ambiguousParts(field) {
            hasAmbiguous = true
            if parts.mark == UInt8(ascii: ".") { hasPoints = true }
            if parts.first > 12 { isDayFirst = true }
            if parts.second > 12 { isMonthFirst = true }
        }
        lookAtTime(record, field)
        lookAtNumber(record[columns.steps])
    }

    private mutating func lookAtTime(_ record: DelimitedText.Record, _ field: ArraySlice<UInt8>) {
        guard let time = WrittenTime(field, order: nil) else { return }
        if let offset = time.placeOffset {
            if offset != 0 {
                hasOtherOffsets = true
            } else if !hasZeroOffsets {
                hasZeroOffsets = localTime.utcOffset(time.start(localTime)) != 0
            }
        }
        if time.isUniversal { hasZ = true }
        let isAmbiguous = WrittenTime.ambiguousParts(field) != nil
        for order in isAmbiguous ? [.dayFirst, .monthFirst] : [nil] as [WrittenTime.Order?] {
            if let day = WrittenTime(field, order: order)?.day { dates[order, default: .init()].add(day) }
        }
        if let moment = time.moment {
            hasMoments = true
            if moment.seconds % 86_400 != 0 { hasOnlyMidnights = false }
        }
        // Of seconds since 1970 only their distances show whether they are midnights.
        if time.moment != nil { hasTimeBesideMidnight = true }
        let clock = columns.time.flatMap { WrittenTime.clock(record[$0]) } ?? time.clock
        guard let clock else { return }
        hasClock = true
        if clock != 0 { hasTimeBesideMidnight = true }
        if clocks.count < 2 { clocks.insert(clock) }
        let moment = time.moment?.seconds ?? time.day.daysSince1970 * 86_400 + clock
        if let last, moment != last, distances.count < 10_000 { distances[abs(moment - last), default: 0] += 1 }
        last = moment
    }

    private mutating func lookAtNumber(_ field: ArraySlice<UInt8>) {
        let point = UInt8(ascii: "."), comma = UInt8(ascii: ",")
        let marks = field.enumerated().filter { $0.element == point || $0.element == comma }
        guard let final = marks.last else { return }
        let digitsAfter = field.count - 1 - final.offset
        let isPoint = final.element == point
        if marks.count > 1, Set(marks.map(\.element)).count == 1 {
            points.insert(isPoint ? .certainGroupingPoint : .certainGroupingComma)
        } else if marks.count > 1 || digitsAfter != 3 || final.offset == 0 || final.offset > 3 {
            points.insert(isPoint ? .certainDecimalPoint : .certainDecimalComma)
        } else {
            points.insert(isPoint ? .point : .comma)
        }
    }

    /// How the lines are read.
    struct Reading {
        var order: WrittenTime.Order?
        var marks: WrittenNumber.Marks
        /// Whether a line is the total of a day.
        var isDaily: Bool
        /// Whether the offset 0 names a moment, as `Z` does, and not a place in Greenwich.
        var isZeroUniversal: Bool
        /// Whether a number of seconds since 1970 stands for the day of UTC that begins with it.
        var isMidnightUniversal: Bool
        /// Seconds of a line that has neither an end nor a next one.
        var length: Int
        var words: String
    }

    /// - Throws: `ImportError.columns` for dates of which it is not certain which number is the month.
    func reading(_ options: ForeignOptions) throws(ImportError) -> Reading {
        var words = ""
        var order = options.columns["order"].flatMap(WrittenTime.Order.init)
        if hasAmbiguous, order == nil {
            if isDayFirst, isMonthFirst {
                throw .malformed(path: path, reason: "its dates have days and months in no certain order")
            }
            // With points the day is first in each country that writes dates so.
            guard isDayFirst || isMonthFirst || hasPoints else {
                throw .columns(
                    "The dates of \(path) can be read in two ways: the day first or the month first.",
                    advice: "Say which: --columns order=dmy or --columns order=mdy")
            }
            order = isMonthFirst ? .monthFirst : .dayFirst
            words += ", dates with the \(isMonthFirst ? "month" : "day") first"
        }
        let isDecimalComma = points.contains(.certainDecimalComma) || points.contains(.certainGroupingPoint)
        let isGroupingComma = points.contains(.certainGroupingComma) || points.contains(.certainDecimalPoint)
        // Neither is certain, and one of 1.234 and 1,234 has decimals.
        let isUncertain = points.isSuperset(of: [.point, .comma]) && !isDecimalComma && !isGroupingComma
        if isDecimalComma && isGroupingComma || isUncertain {
            throw .malformed(path: path, reason: "its numbers have points and commas in no certain sense")
        }
        var marks = WrittenNumber.Marks(decimal: UInt8(ascii: "."), grouping: UInt8(ascii: ","))
        if isDecimalComma || !isGroupingComma && points.contains(.point) && !points.contains(.comma) {
            marks = .init(decimal: UInt8(ascii: ","), grouping: UInt8(ascii: "."))
        }
        if points.contains(.point) || points.contains(.comma) {
            words += ", \(marks.grouping == UInt8(ascii: ".") ? "1.234" : "1,234") as 1234 steps"
        }
        // pandas and Python write moments so. Where clocks show it, it is the offset of the place.
        let isZeroUniversal = hasZeroOffsets && !hasOtherOffsets
        if isZeroUniversal { words += ", +00:00 as UTC" }
        let hasUniversalTimes = hasZ || isZeroUniversal
        let hasSpans = columns.end != nil
        let isDaily =
            !hasSpans && !columns.isCounter
            && (!hasClock || !hasTimeBesideMidnight
                || (hasMoments || !distances.isEmpty && (hasUniversalTimes || clocks.count == 1 || areNeighbours))
                    && isOnceADay)
        let isMidnightUniversal = isDaily && hasMoments && hasOnlyMidnights
        if isDaily, options.columns["day"] ?? options.columns["start"] == nil,
            (dates[order] ?? dates[nil])?.isOnceAWeek == true
        {
            throw .columns(
                "The lines of \(path) are a week or more apart: they do not say on which days their steps were made.",
                advice: "If each one is of a single day all the same, name its column: --columns day=COLUMN")
        }
        let usual = distances.max { ($0.value, -$0.key) < ($1.value, -$1.key) }?.key ?? 3600
        let length = min(max(usual, 60), 3600)
        if isDaily { words += ", a line for each day" + (isMidnightUniversal ? " of UTC" : "") }
        if !isDaily, !hasSpans, !columns.isCounter { words += ", slots of \(length / 60) min" }
        return Reading(
            order: order, marks: marks, isDaily: isDaily, isZeroUniversal: isZeroUniversal,
            isMidnightUniversal: isMidnightUniversal,
            length: length, words: words)
    }

    /// Times of day that differ by minutes are those of a program that writes the total when it can, if most of the
    /// lines are of neighbouring days. Two lines alone, or some a week, can be walks.
    private var areNeighbours: Bool {
        let all = distances.values.reduce(0, +)
        let next = distances.filter { (82_800...90_000).contains($0.key) }.values.reduce(0, +)
        return all > 1 && 2 * next > all
    }

    /// Moments a day apart: midnight of the place, which the seconds since 1970 do not show, or the time of day at
    /// which a program writes the total.
    private var isOnceADay: Bool {
        // A day is 23 to 25 hours long; days can be missing.
        distances.keys.allSatisfy { $0 >= 82_800 && ($0 % 86_400 <= 3600 || $0 % 86_400 >= 82_800) }
    }
}
