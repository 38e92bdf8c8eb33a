import StepDomain
import Testing
import TestSupport

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct WordsTests {
    @Test(arguments: [
        (0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567"), (-12_345, "-12,345"), (.min, "-9,223,372,036,854,775,808"),
    ])
    func `numbers are grouped by thousands`(number: Int, text: String) { #expect(Words.grouped(number) == text) }

    @Test(arguments: [
        (0.4, "0"), (1234.5, "1,235"), (-1999.6, "-2,000"), (.nan, "?"), (.infinity, "?"), (1e19, "?"), (-1e300, "?"),
    ])
    func `numbers that are grouped are rounded, and impossible ones are not shown`(number: Double, text: String) {
        #expect(Words.grouped(number) == text)
    }

    @Test(arguments: [
        (6.184, 2, "6.18"), (6.185001, 2, "6.19"), (0.999, 2, "1.00"), (0, 1, "0.0"), (-0.04, 1, "0.0"), (-1.25, 0, "-1"),
        (191.6, 0, "192"), (.nan, 1, "?"), (-.infinity, 1, "?"), (1e300, 0, "?"),
    ])
    func `numbers are rounded to fixed decimals`(number: Double, decimals: Int, text: String) { #expect(Words.fixed(number, decimals) == text) }

    @Test func `short numbers omit trailing zeros`() {
        #expect(Words.short(178) == "178")
        #expect(Words.short(72.5) == "72.5")
        #expect(Words.short(100.04) == "100")
        #expect(Words.short(100, 0) == "100")
    }

    @Test(arguments: [
        (-61, "in the future"), (-60, "just now"), (0, "just now"), (59, "just now"), (60, "1 minute ago"), (3599, "59 minutes ago"),
        (3600, "1 hour ago"), (172_799, "47 hours ago"), (172_800, "2 days ago"), (86_400_000, "1,000 days ago"),
    ])
    func `past times are described relative to now`(seconds: Int, text: String) {
        #expect(Words.ago(Timestamp(1_000_000), now: Timestamp(1_000_000 + seconds)) == text)
    }

    @Test(arguments: [
        (1, "1 second"), (-45, "45 seconds"), (120, "2 minutes"), (3600, "1 hour"), (-7260, "2 hours 1 minute"), (259_200, "3 days"),
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
