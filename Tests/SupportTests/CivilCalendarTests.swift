import Support
import Testing

@Suite(.timeLimit(.minutes(5))) struct CivilCalendarTests {
    @Test func `known days have their number, and are found by it`() {
        let known = [
            (0, 1970, 1, 1), (-1, 1969, 12, 31), (11_016, 2000, 2, 29), (11_017, 2000, 3, 1), (47_541, 2100, 3, 1),
            (-719_162, 1, 1, 1),
        ]
        for (number, year, month, day) in known {
            #expect(CivilCalendar.daysSince1970(year: year, month: month, day: day) == number)
            let found = CivilCalendar.components(daysSince1970: number)
            #expect([found.year, found.month, found.day] == [year, month, day])
        }
    }

    @Test func `each day of 800 years is found by its number`() {
        for number in -146_097...146_097 {
            let (year, month, day) = CivilCalendar.components(daysSince1970: number)
            guard CivilCalendar.daysSince1970(year: year, month: month, day: day) == number else {
                Issue.record("\(number): \(year)-\(month)-\(day)")
                return
            }
        }
    }

    @Test func `division rounds down on both sides of zero`() {
        #expect([-3, -2, -1, 0, 1, 2].map { floorDivide($0, 2) } == [-2, -1, -1, 0, 0, 1])
        #expect([-3, -2, -1, 0, 1, 2].map { floorRemainder($0, 2) } == [1, 0, 1, 0, 1, 0])
    }
}
