import Foundation
import StepDomain
import TestSupport
import Testing

@testable import StepViews

/// A day of which a pedometer's own total differs from its slots.
@Suite(.timeLimit(.minutes(5))) struct DeviceTotalTests {
    private func view(_ totals: [(String, Int, Int)]) -> DayView {
        Sample.view { summary in
            summary.deviceTotals = totals.map { name, total, slots in
                .init(
                    pedometer: name,
                    total: DeviceTotal(
                        day: Sample.day, at: Sample.localTime.at("2014-04-20", 15, 42), total: total, slots: slots))
            }
        }
    }

    private func check(_ view: DayView) -> String? {
        let lines = view.lines(TextStyle(width: 80)).drop { !$0.hasPrefix("  Check") }.prefix { !$0.isEmpty }
        return lines.isEmpty ? nil : lines.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " ")
    }

    @Test func `a total that equals the samples is not shown`() {
        #expect(check(view([])) == nil)
        #expect(check(view([("ring", 8801, 8801)])) == nil)
        #expect(view([("ring", 8805, 8801)]).lines(TextStyle()) == Sample.view().lines(TextStyle()))
    }

    @Test func `show prints by how much they differ`() {
        #expect(
            check(view([("ring", 8921, 8801)]))
                == "Check     ring itself reported 8,921 steps at 2014-04-20 15:42, 120 more than its slots had then")
        #expect(
            check(view([("ring", 256, 8801)]))
                == "Check     ring itself reported 256 steps at 2014-04-20 15:42, 8,545 fewer than its slots had then: not used"
        )
        #expect(
            check(view([("ring", 16_777_215, 8801)]))
                == "Check     ring itself reported 16,777,215 steps at 2014-04-20 15:42, more than anyone walks in a day: not used"
        )
    }

    @Test func `the steps of the day stay those of the slots`() {
        let view = view([("ring", 16_777_215, 8801)])
        #expect(view.summary.steps == 8801 && view.errors.isEmpty)
        #expect(view.lines(TextStyle()).contains { $0.contains("Steps     8,801") })
    }

    @Test func `the total with the largest difference is shown, and the view fits on one screen`() {
        let view = view([("ring\u{1b}[31m", 8921, 8801), ("watch", 99, 8801), ("band", 8801, 8801)])
        #expect(check(view)?.contains("watch itself") == true)
        #expect(view.lines(TextStyle(width: 80)).count <= 24)
        #expect(!view.text().contains("\u{1b}"))
    }

    @Test func `the document has all of them`() throws {
        let totals = try ReadDocument(view([("ring", 8921, 8801), ("band", 8801, 8801)])).deviceTotals.list
        #expect(totals.map(\.pedometer) == ["ring", "band"])
        #expect(totals.map(\.difference) == [120, 0] && totals.map(\.differs) == [true, false])
        #expect(totals.first?.time == "2014-04-20T15:42:00+02:00")
    }
}
