import StepDomain
import Testing

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct VerifyTests {
    private typealias Attribute = AttributeError.Attribute

    private func wrong(_ change: (inout DaySummary) -> Void) -> [Attribute] {
        Sample.view(change: change).errors.map(\.attribute)
    }

    @Test func `a valid summary has no errors`() {
        #expect(Sample.view().errors.isEmpty)
        #expect(Sample.view(Sample.summary(Sample.day.advanced(by: 1), steps: [7: 10])).errors.isEmpty)
        #expect(Sample.view(Sample.summary(Sample.day, steps: [:])).errors.isEmpty)
    }

    @Test func `negative steps and more than 200000 steps are errors`() {
        #expect(Sample.view { $0.steps = -5 }.errors.first == AttributeError(.steps, "-5 is negative"))
        #expect(wrong { $0.steps = 200_001 }.contains(.steps))
        #expect(!wrong { $0.steps = 200_000 }.contains(.steps))
    }

    @Test(arguments: [.nan, .infinity, -.infinity, -0.1, 500_001] as [Double])
    func `impossible values for distance and energy are errors`(value: Double) {
        #expect(wrong { $0.distance = value } == [.distance])
        #expect(wrong { $0.energy = value } == [.energy])
    }

    @Test func `distance and energy without steps or a source are errors`() {
        #expect(wrong { $0.distanceSource = nil } == [.distance])
        #expect(wrong { $0.energySource = nil } == [.energy])
        let without = wrong {
            $0.steps = nil; $0.completeness = .unknown; $0.hours = []
        }
        #expect(without == [.distance, .energy, .percentage, .category])
    }

    @Test func `a percentage that does not match steps and goal is an error`() {
        #expect(wrong { $0.percentage = 99 } == [.percentage])
        #expect(wrong { $0.percentage = .nan } == [.percentage])
        #expect(wrong { $0.percentage = nil } == [.percentage])
        #expect(wrong { $0.goal = nil } == [.percentage])
        #expect(
            wrong {
                $0.goal = 0; $0.percentage = nil
            } == [.goal])
        #expect(
            wrong {
                $0.goal = nil; $0.percentage = nil
            }.isEmpty)
    }

    @Test func `a category that does not match the steps is an error`() {
        #expect(wrong { $0.category = .active } == [.category])
        #expect(wrong { $0.category = nil } == [.category])
    }

    @Test func `hours out of order or with a wrong sum are errors`() {
        #expect(wrong { $0.hours[3].steps = 7777 } == [.hours])
        #expect(wrong { if $0.hours[3].steps == 0 { $0.hours[3].steps = nil } }.isEmpty, "an hour may be unknown")
        #expect(
            wrong {
                $0.hours[3].steps = 7777; $0.isCorrected = true
            }.isEmpty)
        #expect(
            wrong {
                $0.hours[3].steps = -1; $0.isCorrected = true
            } == [.hours])
        #expect(
            wrong {
                $0.hours[3].steps = .max; $0.isCorrected = true
            } == [.hours])
        #expect(wrong { $0.hours.swapAt(3, 4) } == [.hours])
        #expect(wrong { $0.hours[3].hour = 24 } == [.hours])
        #expect(
            wrong { $0.hours += (0..<3).map { .init(start: Sample.now + $0, hour: 23, utcOffset: 0, steps: 0) } } == [
                .hours
            ])
        #expect(wrong { $0.hours = [] }.isEmpty)
    }

    @Test func `a completeness that contradicts the data is an error`() {
        #expect(wrong { $0.completeness = .unknown } == [.completeness])
        #expect(
            wrong {
                $0.completeness = .unknown; $0.isCorrected = true
            }.isEmpty)
        #expect(wrong { $0.isInProgress = true } == [.completeness])
        let unknown = DaySummary(user: User(id: 1, name: "anna"), day: Sample.day, completeness: .partial)
        #expect(Sample.view(unknown).errors.map(\.attribute) == [.completeness])
    }

    @Test func `a day or a last sync in the future is an error`() {
        #expect(wrong { $0.lastSync = Sample.now + 61 } == [.lastSync])
        #expect(wrong { $0.lastSync = Sample.now + 60 }.isEmpty)
        #expect(wrong { $0.day = Sample.day.advanced(by: 2) } == [.day])
        #expect(wrong { $0.implausibleSteps = -1 } == [.implausibleSteps])
    }

    @Test func `errors are shown in place of the values`() throws {
        let view = Sample.view {
            $0.steps = -5; $0.distance = .nan; $0.lastSync = Sample.now + 99
        }
        let text = view.text()
        #expect(text.contains("  Steps     wrong: -5 is negative\n"))
        #expect(text.contains("  Distance  wrong: it is not a number\n"))
        #expect(text.contains("  Goal      wrong: it does not match steps and goal\n"))
        #expect(text.contains("  Hours     wrong: they add up to 8,801"))
        #expect(text.contains("  Synced    wrong: it is in the future"))
        #expect(text.contains("192 kcal"))
        let document = try ReadDocument(view)
        #expect(document.steps == .null && document.distanceMetres == .null && document.percentage == .null)
        #expect(document.hours == [] && document.lastSync == .null)
        #expect(document.energyKilocalories == 191.6)
        #expect(document.errors.list.contains { $0.attribute == "steps" && $0.message == "-5 is negative" })
    }

    @Test func `only an error is shown for a future day`() throws {
        let view = Sample.view { $0.day = Sample.day.advanced(by: 2) }
        #expect(view.lines(Sample.plain) == ["anna · Tuesday 22 April 2014", "", "  wrong: 2014-04-22 has not begun"])
        #expect(try ReadDocument(view).steps == .null)
    }
}
