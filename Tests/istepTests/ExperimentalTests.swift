import Foundation
import SimulatedBlueZ
import Testing

/// Pedometers whose protocol is not certain.
@Suite(.timeLimit(.minutes(5))) struct ExperimentalTests {
    /// What the three numbers of a Da Fit band mean is contested; here none of the first two is the sum of its hours.
    @Test func `a band whose figures disagree stores frames but no steps, and this is reported`() async throws {
        try await Household.live { home in
            let clock = WallClock(year: 2026, month: 5, day: 20, hour: 15)
            let memory = BandMemory(quarters: [clock.dayNumber * 86_400 + 36_000: 1_000]) { clock }
            let band = SimulatedSerialBand.moYoung(memory, .neither, sendsHours: true)
            await home.stack.add(band)
            let scan = try await home.istep("scan", "--timeout", "5")
            #expect(
                scan.output.contains("(experimental)")
                    && scan.output.contains("\nMoYoung / Da Fit watch or band is experimental:"),
                "\(scan.output)\(scan.error)")
            let add = try await home.istep("add", band.address, "--name", "band", "--timeout", "120")
            #expect(add.status == 0, "\(add.error)")
            let (notice, added) = (add.output.range(of: "experimental"), add.output.range(of: "Added band"))
            #expect(
                notice.map { range in added.map { range.lowerBound < $0.lowerBound } ?? false } ?? false,
                "\(add.output)")
            let devices = try await home.istep("devices", "--json")
            let listed = (devices.json["pedometers"] as? [[String: Any]])?.first
            #expect((listed?["caveat"] as? String)?.contains("disagree") == true)
            #expect(try await home.istep("devices").output.contains("(experimental)"))

            let sync = try await home.istep("sync", "--json")
            #expect(sync.status == 0, "\(sync.error)")
            let read = (sync.json["pedometers"] as? [[String: Any]])?.first
            let notices = read?["notices"] as? [[String: Any]] ?? []
            #expect(notices.contains { $0["kind"] as? String == "stepsInDoubt" }, "\(sync.output)")
            #expect(read?["steps"] as? Int == 0)
            let status = try await home.istep("status")
            #expect(status.output.contains("contradict each other"), "\(status.output)")

            let file = home.folder.path + "/capture.txt"
            let capture = try await home.istep("gatt", "capture", "band", "--output", file)
            #expect(capture.status == 0, "\(capture.error)")
            let text = try String(contentsOfFile: file, encoding: .utf8)
            // FEE1, and the beginning of the hours.
            #expect(
                text.contains("model: moyoung") && text.contains("< bc 02 00 28 00 00 e8 03 00")
                    && text.contains("< fe ea 10 36 59 00"))
            await home.expectNothingLeftOpen()
        }
    }
}
