import Foundation
import Testing
import TestSupport

/// Miles, feet and pounds for people; programs get metres and kilograms.
@Suite(.timeLimit(.minutes(5))) struct UnitsTests {
    @Test func `people read and type their units, programs get metric ones`() async throws {
        let folder = try Folder()
        var istep = Command(folder: folder)
        istep.environment["LC_MEASUREMENT"] = "en_US.UTF-8"
        let set = try await istep("profile", "--height", "5'10\"", "--weight", "160lb", "--step-length", "29.5in")
        #expect(
            set.output.contains("height 5 ft 10 in, weight 160 lb, step 29.5 in, measured"), "\(set.output)\(set.error)"
        )
        let profile = try #require((try await istep("profile", "--json").json["profiles"] as? [[String: Any]])?.first)
        let height = try #require(profile["heightMetres"] as? Double)
        let step = try #require(profile["stepLengthMetres"] as? Double)
        #expect(abs(height - 1.778) < 1e-9 && abs(step - 0.7493) < 1e-9, "\(profile)")
        let shown = try await istep("correct", "20.4.2014", "--steps", "10000")
        #expect(shown.output.contains("4.66 mi"), "\(shown.output)\(shown.error)")
        let day = try await istep("show", "April 20, 2014", "--json").json
        #expect(day["day"] as? String == "2014-04-20" && day["distanceMetres"] as? Double == 7493)
        let wrong = try await istep("profile", "--weight", "72", "--height", "9ft")
        #expect(
            wrong.status == 64 && wrong.error.contains("--height must be 1 ft 8 in to 8 ft 2 in."), "\(wrong.error)")
        let twofold = try await istep("show", "4/5/2014")
        #expect(
            twofold.status == 64 && twofold.error.contains("it can be 2014-05-04 or 2014-04-05"), "\(twofold.error)")
        // The configuration comes before the locale.
        try folder.configure("units = \"metric\"\n")
        #expect(try await istep("show", "2014-04-20").output.contains("7.49 km"))
        try folder.configure("units = \"ells\"\n")
        let unknown = try await istep("show", "2014-04-20")
        #expect(unknown.status == 78 && unknown.error.contains("\"metric\" or \"imperial\""), "\(unknown.error)")
    }
}
