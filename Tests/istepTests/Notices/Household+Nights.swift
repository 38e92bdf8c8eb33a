import Foundation
import SimulatedBlueZ
import StepDatabase
import StepDomain
import Testing

extension Household {
    var database: String { folder.path + "/data/istep/history.sqlite" }

    func addRing() async throws {
        let add = try await istep("add", ring.address, "--name", "ring", "--timeout", "120")
        try #require(add.status == 0, "\(add.error)")
    }

    /// The watch, which stores only today's count.
    func addWatch(_ more: String...) async throws {
        let add = try await istep.run(
            [
                "add", "InfiniTime", "--name", "watch", "--model", "generic", "--counts", "today", "--format", "u32le",
                "--service", watch.steps.service.text, "--characteristic", watch.steps.characteristic.text, "--timeout", "120",
            ] + more)
        try #require(add.status == 0, "\(add.error)")
    }

    /// Records syncs in the nights this long ago in which no pedometer could be read.
    func failedNights(_ nightsAgo: ClosedRange<Int>, _ failure: String, _ cause: FailureCause) throws {
        let history = try StepDatabase(path: database)
        let now = Timestamp(Int(Date().timeIntervalSince1970))
        for night in nightsAgo.reversed() {
            for pedometer in try history.pedometers() {
                let start = now - night * 86_400
                let sync = try history.beginSync(of: pedometer.id, at: start)
                try history.endSync(sync, at: start + 5, outcome: .failed, battery: nil, failure: failure, cause: cause)
            }
        }
        try history.close()
    }

    func configure(_ text: String) throws {
        let folder = folder.path + "/config/istep"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/config.toml"))
    }

    /// The steps of a day as shown to users.
    func grouped(daysAgo: Int) -> String {
        let steps = walked(daysAgo: daysAgo)
        let rest = String(steps % 1000)
        return steps < 1000 ? rest : "\(steps / 1000)," + String(repeating: "0", count: 3 - rest.count) + rest
    }
}
