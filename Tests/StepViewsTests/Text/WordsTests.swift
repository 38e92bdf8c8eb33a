import StepDomain
import Testing
import TestSupport

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct WordsTests {
    @Test(arguments: [
        (0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567"), (-12_345, "-12,345"),
        (.min, "-9,223,372,036,854,775,808"),
    ])
    func `numbers are grouped by thousands`(number: Int, text: String) { #expect(Words.grouped(number) == text) }

    @Test(arguments: [
        (0.4, "0"), (1234.5, "1,235"), (-1999.6, "-2,000"), (.nan, "?"), (.infinity, "?"), (1e19, "?"), (-1e300, "?"),
    ])
    func `numbers that are grouped are rounded, and impossible ones are not shown`(number: Double, text: String) {
        #expect(Words.grouped(number) == text)
    }

    @Test(arguments: [
        (6.184, 2, "6.18"), (6.185001, 2, "6.19"), (0.999, 2, "1.00"), (0, 1, "0.0"), (-0.04, 1, "0.0"),
        (-1.25, 0, "-1"),
        (191.6, 0, "192"), (.nan, 1, "?"), (-.infinity, 1, "?"), (1e300, 0, "?"),
    ])
    func `numbers are rounded to fixed decimals`(number: Double, decimals: Int, text: String) {
        #expect(Words.fixed(number, decimals) == text)
    }

    /// The only rounding of distances and percentages: what is 29.90 km on one page is not 30 km on another.
    @Test(arguments: [
        (6184.0, "6.18 km"), (14_150, "14.15 km"), (29_900, "29.90 km"), (99_994, "99.99 km"), (99_995, "100 km"),
        (203_400, "203 km"),
        (2_318_700, "2,319 km"), (.nan, "? km"),
    ])
    func `distances have two decimals below 100 km`(_ metres: Double, _ words: String) {
        #expect(UnitSystem.metric.words(distance: metres) == words)
    }

    @Test(arguments: [
        (0.0, "0 %"), (43.4, "43 %"), (99.4, "99 %"), (99.99, "99 %"), (100, "100 %"), (113.8, "114 %"),
        (12_345.6, "12,346 %"), (.nan, "? %"),
    ])
    func `per cent of a goal are rounded, and 100 only if it is reached`(_ percentage: Double, _ words: String) {
        #expect(Words.percent(percentage) == words)
    }

    @Test func `a date on a page has its year only if it is not this one`() throws {
        let today = try #require(Day("2026-11-26")), day = try #require(Day("2026-09-26")),
            past = try #require(Day("2025-12-31"))
        let zone = LocalTime.fixed(3600), now = zone.moment(today, seconds: 11 * 3600)
        #expect(
            DateForm.short.day(day, today: today) == "Sat 26 Sep"
                && DateForm.short.day(past, today: today) == "Wed 31 Dec 2025")
        #expect(
            DateForm.short.days(day, day, today: today) == "Sat 26 Sep"
                && DateForm.iso.day(day, today: today) == "2026-09-26")
        #expect(DateForm.short.days(past, day, today: today) == "31 Dec 2025 to 26 Sep")
        #expect(DateForm.short.clock(now - 780, zone, today: today) == "Thu 26 Nov, 10:47")
        #expect(DateForm.iso.clock(now - 780, zone, today: today) == "2026-11-26 10:47")
        let moments = [59, 60, 3599, 3600, 86_399, 86_400, -61].map { DateForm.ago(now - $0, now: now, zone) }
        #expect(
            moments == ["just now", "1 min ago", "59 min ago", "1 h ago", "23 h ago", "Wed 25 Nov", "in the future"])
    }

    @Test func `short numbers omit trailing zeros`() {
        #expect(Words.short(178) == "178")
        #expect(Words.short(72.5) == "72.5")
        #expect(Words.short(100.04) == "100")
        #expect(Words.short(100, 0) == "100")
    }

    @Test(arguments: [
        (-61, "in the future"), (-60, "just now"), (0, "just now"), (59, "just now"), (60, "1 minute ago"),
        (3599, "59 minutes ago"),
        (3600, "1 hour ago"), (172_799, "47 hours ago"), (172_800, "2 days ago"), (86_400_000, "1,000 days ago"),
    ])
    func `past times are described relative to now`(seconds: Int, text: String) {
        #expect(Words.ago(Timestamp(1_000_000), now: Timestamp(1_000_000 + seconds)) == text)
    }

    @Test(arguments: [
        (1, "1 second"), (-45, "45 seconds"), (120, "2 minutes"), (3600, "1 hour"), (-7260, "2 hours 1 minute"),
        (259_200, "3 days"),
    ])
    func `durations are written in words`(seconds: Int, text: String) { #expect(Words.duration(seconds) == text) }

    @Test(arguments: [(0, "UTC"), (20_700, "UTC+5:45"), (-28_800, "UTC-8"), (-12_600, "UTC-3:30"), (300, "UTC+0:05")])
    func `time zones are written in words`(seconds: Int, text: String) { #expect(Words.zone(seconds) == text) }

    @Test func `dates, times and counts are formatted`() {
        #expect(Words.date(Sample.day) == "Sunday 20 April 2014")
        #expect(Words.clock(Sample.synced, Sample.localTime) == "2014-04-21 07:30")
        #expect(Words.iso(Sample.synced, Sample.localTime) == "2014-04-21T07:30:00+02:00")
        #expect(Words.days(Sample.day, Sample.day) == "2014-04-20")
        #expect(Words.count(1, "slot") == "1 slot")
        #expect(Words.count(2000, "slot") == "2,000 slots")
    }

    @Test(arguments: [
        (-1, "0 kB"), (819_600, "820 kB"), (1_000_000, "1.0 MB"), (12_540_000, "12.5 MB"), (1_250_000_000, "1.3 GB"),
    ])
    func `sizes of files have a unit`(bytes: Int, text: String) { #expect(Words.size(bytes) == text) }
}
