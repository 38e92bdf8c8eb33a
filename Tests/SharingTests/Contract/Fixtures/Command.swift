import Foundation

extension Fixture {
    static let command = Fixture(
        kind: "command", keeps: [.user, .day, .metres, .kilocalories, .goal, .percentage, .samples], corrects: false,
        hasSecret: false,
        open: { try CommandVenue(keys: "samples = true") })

    static let idempotentCommand = Fixture(
        kind: "command", variant: "idempotent", keeps: [.user, .day, .metres, .kilocalories, .goal, .percentage],
        hasSecret: false,
        open: { try CommandVenue(keys: "idempotent = true") })
}

/// A program that appends its input to a file; if it is idempotent, only the last entry of each day counts.
private struct CommandVenue: Venue {
    let folder: Folder
    let keys: String
    let isIdempotent: Bool

    private struct Document: Decodable {
        struct Pedometer: Decodable {
            struct Sample: Decodable { var steps: Int }
            var name: String
            var samples: [Sample]
        }

        var user: String
        var day: String
        var steps: Int
        var distanceMetres: Int?
        var energyKilocalories: Int?
        var goal: Int?
        var percentage: Double?
        var pedometers: [Pedometer]?
    }

    init(keys: String) throws {
        folder = try Folder()
        isIdempotent = keys.contains("idempotent")
        let program = try folder.write("program", "#!/bin/sh\nexec cat >> \(folder.path)/input\n", mode: 0o700)
        self.keys = "command = ['/bin/sh', '\(program)']\n" + keys
    }

    func held() throws -> [HeldDay] {
        var days: [HeldDay] = []
        for line in sent() {
            let day = try JSONDecoder().decode(Document.self, from: Data(line.utf8))
            if isIdempotent { days.removeAll { $0.day == day.day && $0.user == day.user } }
            days.append(
                HeldDay(
                    user: day.user, day: day.day, steps: day.steps, metres: day.distanceMetres,
                    kilocalories: day.energyKilocalories,
                    goal: day.goal, percentage: day.percentage,
                    samples: day.pedometers.map {
                        Dictionary(uniqueKeysWithValues: $0.map { ($0.name, $0.samples.map(\.steps)) })
                    }))
        }
        return days.sorted { ($0.day ?? "") < ($1.day ?? "") }
    }

    func sent() -> [String] { folder.text("input")?.split(separator: "\n").map(String.init) ?? [] }

    func announced(_ preview: String) -> [String] {
        preview.split(separator: "\n").filter { $0.hasPrefix("{") }.map(String.init)
    }

    func close() {}
}
