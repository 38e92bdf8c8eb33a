// What Tests/Benchmarks/history.sh and sharing.sh measure, or prepare: one job per process, so that opening the history counts too.

import StepDatabase
import StepDomain

/// Minute samples of a day, with steps by a fixed rule.
func samples(of day: Day) -> [StepSample] {
    (0..<1440).map { minute in
        let start = day.daysSince1970 * 86_400 + minute * 60
        return StepSample(start: Timestamp(start), length: 60, steps: start / 60 * 7919 % 150, utcOffset: 0)
    }
}

func prepare(_ path: String) throws {
    let database = try StepDatabase(path: path)
    let user = try database.addUser(named: "Ada")
    let pedometer = try database.addPedometer(
        Pedometer(
            id: 0, user: user.id, model: "colmi", address: "30:34:42:00:00:01", addressType: "public", name: "ring"))
    _ = try database.beginSync(of: pedometer.id, at: Timestamp(0))
}

/// Merges one day of minutes per batch, as a sync does.
func merge(_ path: String, from first: Day, days: Int) throws {
    let database = try StepDatabase(path: path)
    for day in first..<first.advanced(by: days) {
        _ = try database.merge(SampleBatch(samples: samples(of: day)), sync: 1, localTime: .fixed(0))
    }
}

/// Merges one day of quarter hours per batch, with complete coverage, as from a ring.
func mergeSlots(_ path: String, from first: Day, days: Int) throws {
    let database = try StepDatabase(path: path)
    for day in first..<first.advanced(by: days) {
        let midnight = Timestamp(day.daysSince1970 * 86_400)
        let samples = (0..<96).map { slot in
            let start = midnight + slot * 900
            return StepSample(start: start, length: 900, steps: start.seconds / 900 * 7919 % 300, utcOffset: 0)
        }
        let batch = SampleBatch(samples: samples, coverage: [TimeSpan(midnight, midnight + 86_400)])
        _ = try database.merge(batch, sync: 1, localTime: .fixed(0))
    }
}

let arguments = Array(CommandLine.arguments.dropFirst())
switch (arguments.first, arguments.count) {
case ("prepare", 2): try prepare(arguments[1])
case ("merge", 4):
    guard let day = Day(arguments[2]), let days = Int(arguments[3]) else { fallthrough }
    try merge(arguments[1], from: day, days: days)
case ("slots", 4):
    guard let day = Day(arguments[2]), let days = Int(arguments[3]) else { fallthrough }
    try mergeSlots(arguments[1], from: day, days: days)
default:
    print("usage: HistoryBenchmark prepare DB | merge DB DAY DAYS | slots DB DAY DAYS")
}
