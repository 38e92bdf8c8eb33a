import Foundation
import StepDomain
import Testing

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct DayDocumentTests {
    private func object(_ view: DayView) throws -> [String: Any] {
        let json = try JSONSerialization.jsonObject(with: Data(try view.json().utf8))
        return try #require(json as? [String: Any])
    }

    /// Programs rely on these keys: a key that is removed or renamed needs another version.
    private let keys = [
        "category", "completeness", "corrected", "correctionReason", "correctionTime", "countedSteps", "day",
        "deletionTime", "deviceTotals",
        "distanceMetres", "distanceSource", "energyKilocalories", "energySource", "errors", "excluded", "goal", "hours",
        "implausibleSteps", "lastSync", "lastSyncTime", "percentage", "restDay", "running", "runningDistanceSource",
        "runningSteps", "steps",
        "user", "version",
        "walkingSteps",
    ]

    @Test func `the document has the keys and values of version 1`() throws {
        let day = try object(Sample.view())
        #expect(day.keys.sorted() == keys)
        #expect(day["version"] as? Int == 1)
        #expect(day["user"] as? String == "anna")
        #expect(day["day"] as? String == "2014-04-20")
        #expect(day["steps"] as? Int == 8801)
        #expect(day["walkingSteps"] as? Int == 8801 && day["runningSteps"] as? Int == 0)
        #expect(day["distanceMetres"] as? Double == 6179.2)
        #expect(day["distanceSource"] as? String == "height")
        #expect(day["runningDistanceSource"] is NSNull, "nothing was run")
        let run = try object(Sample.view { $0.runningDistanceSource = .measuredStepLength })
        #expect(run["runningDistanceSource"] as? String == "measuredStepLength")
        #expect(day["energyKilocalories"] as? Double == 191.6)
        #expect(day["energySource"] as? String == "weight")
        #expect(day["goal"] as? Int == 8000)
        #expect(day["percentage"] as? Double == 110.01)
        #expect(day["category"] as? String == "somewhatActive")
        #expect(day["completeness"] as? String == "complete")
        #expect(day["lastSyncTime"] as? String == "2014-04-21T07:30:00+02:00")
        #expect(
            day["lastSync"] as? String == "2014-04-21T07:30:00+02:00", "deprecated, and kept for programs that read it")
        let hours = try #require(day["hours"] as? [[String: Any]])
        #expect(hours.count == 24)
        #expect(hours[7]["start"] as? String == "2014-04-20T07:00:00+02:00")
        #expect(hours[7]["hour"] as? Int == 7)
        #expect(hours[7]["steps"] as? Int == 812)
    }

    @Test func `unknown values are null and not missing`() throws {
        let day = try object(Sample.view(DaySummary(user: User(id: 1, name: "anna"), day: Sample.day)))
        #expect(day.keys.sorted() == keys)
        for key in [
            "steps", "walkingSteps", "runningSteps", "distanceMetres", "energyKilocalories", "goal", "percentage",
            "category", "lastSync",
        ] {
            #expect(day[key] is NSNull)
        }
        #expect(day["deletionTime"] is NSNull)
        let deleted = try object(Sample.view { $0.deletedAt = Sample.synced })
        #expect(deleted["deletionTime"] as? String == "2014-04-21T07:30:00+02:00")
        #expect(day["completeness"] as? String == "unknown")
    }

    @Test func `control characters in names are escaped without loss`() throws {
        let name = "a\u{1b}[2J\u{9b}\u{202e}\u{e0041}é\"\\/"
        let view = Sample.view(DaySummary(user: User(id: 1, name: name), day: Sample.day))
        let text = try view.json()
        #expect(!text.unicodeScalars.contains { $0 != "\n" && Printable.isHarmful($0) })
        #expect(try object(view)["user"] as? String == name)
    }

    @Test func `the keys are sorted`() throws {
        let lines = try Sample.view().json().split(separator: "\n").filter { $0.hasPrefix("  \"") }
        #expect(lines.count == keys.count)
        #expect(lines == lines.sorted())
    }
}
