import StepDomain

/// A date, with or without a time and an offset, as it is written in tables.
struct WrittenTime: Equatable {
    /// The order of day, month and year in dates of digits.
    enum Order: String, Sendable {
        case yearFirst = "ymd"
        case dayFirst = "dmy"
        case monthFirst = "mdy"
    }

    var day: Day
    /// Seconds since midnight; nil without a time.
    var clock: Int?
    /// Seconds east of Greenwich; nil if it is not written.
    var utcOffset: Int?
    /// Whether the offset is written as `Z` or `UTC`: that names a moment, and not what clocks showed where it was.
    var isUniversal = false
    /// Whether it is written as 24:00: `day` and `clock` are those of the next midnight.
    var endsDay = false
    /// The moment, where the text is a number of seconds since 1970.
    var moment: Timestamp?

    /// The moment by its offset, else in the owner's zone; without a time midnight.
    func start(_ localTime: LocalTime) -> Timestamp {
        if let moment { return moment }
        if let utcOffset { return Timestamp(day.daysSince1970 * 86_400 + (clock ?? 0) - utcOffset) }
        return localTime.moment(day, seconds: clock ?? 0)
    }

    /// The same; of a time that clocks show twice, the later moment.
    func laterStart(_ localTime: LocalTime) -> Timestamp {
        let first = start(localTime)
        guard moment == nil, utcOffset == nil else { return first }
        let offset = localTime.utcOffset(first + 6 * 3600)
        let later = Timestamp(day.daysSince1970 * 86_400 + (clock ?? 0) - offset)
        return later > first && localTime.utcOffset(later) == offset ? later : first
    }

    private static let months: [String: Int] = [
        "jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11,
        "dec": 12,
        "mär": 3, "mai": 5, "okt": 10, "dez": 12,
    ]

    /// Nil for any other text.
    ///
    /// - Parameter order: of dates of digits whose year is not first.
    init?(_ field: ArraySlice<UInt8>, order: Order?) {
        let field = field.withPlainBlanks
        var text = Scanner(field)
        if let moment = Self.number(field) {
            self.moment = Timestamp(moment)
            day = Day(of: Timestamp(moment), utcOffset: 0)
            clock = 0
            return
        }
        guard let day = Self.date(&text, order) else { return nil }
        self.day = day
        text.skip { $0 == UInt8(ascii: "T") || $0 == 0x20 || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "t") }
        if text.isAtEnd { return }
        guard let time = Self.clock(&text) else { return nil }
        set(clock: time)
        text.skip { $0 == 0x20 }
        if text.isAtEnd { return }
        let isOfWord = !text.isNext { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
        guard let offset = Self.offset(&text), text.isAtEnd else { return nil }
        utcOffset = offset
        isUniversal = isOfWord
    }

    /// The offset of the place; nil where the owner's zone has to tell it.
    var placeOffset: Int? { isUniversal ? nil : utcOffset }

    /// The local day: as it is written, except for a moment without a place.
    func localDay(_ localTime: LocalTime) -> Day {
        if moment == nil, endsDay { return day.advanced(by: -1) }
        return moment == nil && !(isUniversal && clock != 0) ? day : localTime.day(of: start(localTime))
    }

    /// - Parameter seconds: since midnight, 0...86400.
    mutating func set(clock seconds: Int) {
        endsDay = seconds == 86_400
        if endsDay { day = day.advanced(by: 1) }
        clock = seconds % 86_400
    }

    /// Only a time, such as `13:05:20`, `1:05 pm` or `24:00`, the end of a day in ISO 8601: seconds since midnight,
    /// 0...86400.
    static func clock(_ field: ArraySlice<UInt8>) -> Int? {
        var text = Scanner(field.withPlainBlanks)
        guard let time = clock(&text), text.isAtEnd else { return nil }
        return time
    }

    /// Seconds since 1970 of a number of 10 (seconds), 13 (milliseconds), 16 or 19 digits.
    private static func number(_ field: ArraySlice<UInt8>) -> Int? {
        guard [10, 13, 16, 19].contains(field.count), field.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return field.prefix(10).reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func date(_ text: inout Scanner, _ order: Order?) -> Day? {
        // 20140420
        if let digits = text.digits(exactly: 8) {
            return Day(year: digits / 10_000, month: digits / 100 % 100, day: digits % 100)
        }
        if let name = text.word() {
            // Apr 20, 2014
            guard let month = months[name] else { return nil }
            text.skip { $0 == 0x20 || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
            guard let day = text.number(2) else { return nil }
            text.skip { $0 == 0x20 || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "-") }
            return text.number(4).flatMap { Day(year: $0, month: month, day: day) }
        }
        let start = text.position
        guard let first = text.number(4) else { return nil }
        let width = text.position - start
        guard let mark = text.next(of: "-/. ") else { return nil }
        text.skip { $0 == 0x20 }
        if let name = text.word() {
            // 20-Apr-2014, 20. Apr 2014
            guard let month = months[name] else { return nil }
            text.skip { $0 == 0x20 || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "/") }
            return text.number(4).flatMap { Day(year: $0 < 100 ? 2000 + $0 : $0, month: month, day: first) }
        }
        guard let second = text.number(2), text.next(of: String(UnicodeScalar(mark))) != nil else { return nil }
        // 1. 4. 2024, 2024. 4. 1.
        text.skip { $0 == 0x20 }
        let yearStart = text.position
        guard let third = text.number(4) else { return nil }
        let yearWidth = text.position - yearStart
        if width == 4 {
            if mark == UInt8(ascii: ".") { _ = text.next(of: ".") }
            return yearWidth <= 2 ? Day(year: first, month: second, day: third) : nil
        }
        guard yearWidth == 4 || yearWidth == 2, width <= 2 else { return nil }
        let year = yearWidth == 2 ? 2000 + third : third
        switch order {
        case .monthFirst: return Day(year: year, month: first, day: second)
        case .dayFirst: return Day(year: year, month: second, day: first)
        case .yearFirst: return nil
        // Only to see whether it is a date: the order is decided by all of them.
        case nil: return Day(year: year, month: second, day: first) ?? Day(year: year, month: first, day: second)
        }
    }

    /// The first two numbers of a date of digits whose year is last, and the mark between them; nil for any other date.
    static func ambiguousParts(_ field: ArraySlice<UInt8>) -> (first: Int, second: Int, mark: UInt8)? {
        var text = Scanner(field.withPlainBlanks)
        let start = text.position
        guard let first = text.number(2), text.position - start <= 2, let mark = text.next(of: "-/.") else {
            return nil
        }
        text.skip { $0 == 0x20 }
        guard let second = text.number(2), text.next(of: String(UnicodeScalar(mark))) != nil else { return nil }
        text.skip { $0 == 0x20 }
        guard text.number(4) != nil else { return nil }
        return (first, second, mark)
    }

    private static func clock(_ text: inout Scanner) -> Int? {
        guard var hour = text.number(2), text.next(of: ":.") != nil, let minute = text.number(2), minute < 60 else {
            return nil
        }
        var second = 0
        if text.next(of: ":.") != nil {
            guard let found = text.number(2), found < 62 else { return nil }
            second = min(found, 59)
            if text.next(of: ".,") != nil { text.skip { (0x30...0x39).contains($0) } }
        }
        let before = text.position
        text.skip { $0 == 0x20 }
        if let word = text.word() {
            guard (1...12).contains(hour), word == "am" || word == "pm" || word == "a" || word == "p" else {
                // The Z of UTC.
                if word == "z" || word == "utc" || word == "gmt" { text.position = before }
                guard word == "z" || word == "utc" || word == "gmt" else { return nil }
                return seconds(hour, minute, second)
            }
            // a.m., p. m.
            if word.count == 1 { text.skip { $0 == UInt8(ascii: ".") || $0 == 0x20 || $0 | 0x20 == UInt8(ascii: "m") } }
            hour = hour % 12 + (word.hasPrefix("p") ? 12 : 0)
        } else {
            text.position = before
        }
        return seconds(hour, minute, second)
    }

    private static func seconds(_ hour: Int, _ minute: Int, _ second: Int) -> Int? {
        let seconds = hour * 3600 + minute * 60 + second
        return hour < 24 || seconds == 86_400 ? seconds : nil
    }

    /// Z, +02:00, +0200, +02
    private static func offset(_ text: inout Scanner) -> Int? {
        if let word = text.word() { return word == "z" || word == "utc" || word == "gmt" ? 0 : nil }
        guard let sign = text.next(of: "+-"), let hours = text.number(2) else { return nil }
        _ = text.next(of: ":")
        let minutes = text.isAtEnd ? 0 : text.number(2)
        guard let minutes, hours <= 14, minutes < 60 else { return nil }
        return (hours * 3600 + minutes * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
    }
}

extension ArraySlice<UInt8> {
    /// With spaces in place of the no-break, narrow no-break and thin spaces that programs write in dates and numbers.
    var withPlainBlanks: ArraySlice<UInt8> {
        guard contains(where: { $0 == 0xc2 || $0 == 0xe2 }) else { return self }
        let text = String(decoding: self, as: UTF8.self)
        return Array(
            text.unicodeScalars.map { "\u{a0}\u{202f}\u{2009}".unicodeScalars.contains($0) ? " " : $0 }
                .reduce(into: "") { $0.unicodeScalars.append($1) }.utf8)[...]
    }
}

/// Reads parts of a short text.
struct Scanner {
    private let bytes: ArraySlice<UInt8>
    var position: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    var isAtEnd: Bool { position == bytes.endIndex }

    func isNext(_ isWanted: (UInt8) -> Bool) -> Bool { position < bytes.endIndex && isWanted(bytes[position]) }

    mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        while position < bytes.endIndex, isSkipped(bytes[position]) { position += 1 }
    }

    /// The next byte, if it is one of these.
    mutating func next(of marks: String) -> UInt8? {
        guard position < bytes.endIndex, marks.utf8.contains(bytes[position]) else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    /// A number of at most `most` digits.
    mutating func number(_ most: Int) -> Int? {
        var (value, count) = (0, 0)
        while position < bytes.endIndex, count < most, (0x30...0x39).contains(bytes[position]) {
            value = value * 10 + Int(bytes[position] - 0x30)
            position += 1
            count += 1
        }
        return count > 0 ? value : nil
    }

    /// A number of just so many digits, not followed by another.
    mutating func digits(exactly count: Int) -> Int? {
        let start = position
        if let value = number(count + 1), position - start == count { return value }
        position = start
        return nil
    }

    /// The first three letters of a word, in lower case; of a shorter word all.
    mutating func word() -> String? {
        let start = position
        skip { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7a || $0 >= 0x80 }
        guard position > start else { return nil }
        return String(String(decoding: bytes[start..<position], as: UTF8.self).lowercased().prefix(3))
    }
}
