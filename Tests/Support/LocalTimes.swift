public import StepDomain

/// Local times to test with, by rules of their own rather than by the machine's zone table.
extension LocalTime {
    /// Central Europe by the rule since 1996: an hour ahead, two from the last Sunday of March, 01:00 UTC, to the last
    /// Sunday of October, 01:00 UTC.
    public static let berlin = LocalTime { moment in
        let day = Day(of: moment, utcOffset: 0)
        let year = day.components.year
        guard let spring = lastSunday(year, 3), let autumn = lastSunday(year, 10) else { return 3600 }
        return moment >= spring && moment < autumn ? 7200 : 3600
    }

    /// Clocks that are changed by half an hour: Lord Howe Island, at 2 o'clock on the first Sundays of October and
    /// April 2023.
    public static let lordHowe = LocalTime { moment in
        let back = Timestamp(1_680_361_200), forward = Timestamp(1_696_087_800)
        return moment >= back && moment < forward ? 37_800 : 39_600
    }

    private static func lastSunday(_ year: Int, _ month: Int) -> Timestamp? {
        guard let last = Day(year: year, month: month, day: 31) else { return nil }
        return Timestamp((last.daysSince1970 - last.weekday.rawValue % 7) * 86_400 + 3600)
    }

    /// The moment at which local clocks show this: `at("2014-04-20", 7, 30)`. A word that is not a day stands for day
    /// 0.
    public func at(_ day: String, _ hour: Int, _ minute: Int = 0, _ second: Int = 0) -> Timestamp {
        moment(Day(day) ?? Day(daysSince1970: 0), seconds: hour * 3600 + minute * 60 + second)
    }
}
