internal import Support

/// Dates of HTTP (RFC 9110, section 5.6.7), in the current form and the two obsolete ones, which must be accepted too.
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Seconds since 1970 in UTC; nil if it is not a date.
    static func seconds(_ text: String) -> Int? {
        guard text.utf8.count <= 40 else { return nil }
        let words = text.split { " ,-:".contains($0) }
        switch words.count {
        // Sun, 06 Nov 1994 08:49:37 GMT · Sunday, 06-Nov-94 08:49:37 GMT
        case 8 where words[7] == "GMT":
            return seconds(year: words[3], month: words[2], day: words[1], time: words[4...6])
        // Sun Nov  6 08:49:37 1994
        case 7: return seconds(year: words[6], month: words[1], day: words[2], time: words[3...5])
        default: return nil
        }
    }

    private static func seconds(
        year: Substring, month: Substring, day: Substring, time: ArraySlice<Substring>
    ) -> Int? {
        guard let month = months.firstIndex(of: String(month)), var year = number(year, upTo: 9999),
            let day = number(day, upTo: 31), day > 0
        else { return nil }
        // Two digits: 00 to 69 are in this century, 70 to 99 in the one before.
        if year < 100 { year += year < 70 ? 2000 : 1900 }
        let parts = time.compactMap { number($0, upTo: 60) }
        guard parts.count == 3, parts[0] < 24, parts[1] < 60 else { return nil }
        return CivilCalendar.daysSince1970(year: year, month: month + 1, day: day) * 86_400 + parts[0] * 3600 + parts[1]
            * 60 + parts[2]
    }

    private static func number(_ text: Substring, upTo most: Int) -> Int? {
        guard text.utf8.allSatisfy(AddressSyntax.isDigit), let number = Int(text), number <= most else { return nil }
        return number
    }
}
