/// The proleptic Gregorian calendar in numbers.
public enum CivilCalendar {
    /// Days from 1970-01-01, which is 0, to a date.
    ///
    /// - Parameters:
    ///   - month: 1...12.
    ///   - day: from 1. A day after the end of the month is one of the next.
    @inlinable public static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        // Days of 400-year eras counted from 0000-03-01: the leap day is then the last of its year
        // (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil).
        let y = month <= 2 ? year - 1 : year
        let era = floorDivide(y, 400)
        let yearOfEra = y - era * 400
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Year, month 1...12 and day of the month 1...31.
    @inlinable public static func components(daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
        // civil_from_days of the same source.
        let z = daysSince1970 + 719_468
        let era = floorDivide(z, 146_097)
        let dayOfEra = z - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}

/// Division that rounds towards minus infinity, so that days before 1970 are counted correctly.
@inlinable public func floorDivide(_ a: Int, _ b: Int) -> Int {
    let quotient = a / b
    return a % b < 0 ? quotient - 1 : quotient
}

@inlinable public func floorRemainder(_ a: Int, _ b: Int) -> Int { a - floorDivide(a, b) * b }
