// What Tests/Benchmarks/history.sh, salvage.py and sharing.sh measure, or prepare: one job per process, so that opening
// the history counts too.

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
            user: user.id, model: "colmi", address: "30:34:42:00:00:01", addressType: "public", name: "ring"))
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

/// Fills each table: two users with a ring each, nights of quarter hours, an implausible slot, totals, a correction,
/// sharing and a notice.
func fill(_ path: String) throws {
    let database = try StepDatabase(path: path)
    let first = Day(daysSince1970: 16_180)
    for (index, name) in ["Ada", "Ben"].enumerated() {
        let user = try database.addUser(named: name)
        try database.setProfile(Profile(validFrom: first, height: 1.7, weight: 70, sex: .female), of: user.id)
        try database.setPlan(SportPlan(validFrom: first, goals: Array(repeating: 8000, count: 7)), of: user.id)
        let pedometer = try database.addPedometer(
            Pedometer(
                user: user.id, model: "colmi", address: "30:34:42:00:00:0\(index)", addressType: "public",
                name: "ring \(index)"))
        for night in 0..<20 {
            let day = first.advanced(by: night)
            let start = Timestamp(day.daysSince1970 * 86_400)
            let sync = try database.beginSync(of: pedometer.id, at: start + 43_200)
            var samples = (0..<20).map {
                StepSample(start: start + $0 * 900, length: 900, steps: 100 + $0, distance: 70.5, utcOffset: 0)
            }
            if night == 3 { samples.append(StepSample(start: start + 300, length: 900, steps: 90_000, utcOffset: 0)) }
            // Of every third night only the first five hours are covered, so that there are several spans.
            let span = TimeSpan(start, start + (night % 3 == 0 ? 18_000 : 86_400))
            _ = try database.merge(
                SampleBatch(
                    samples: samples, coverage: [span],
                    frames: (0..<4).map {
                        RawFrame(.received, at: start, bytes: Array(repeating: UInt8($0), count: 16))
                    },
                    cursor: PedometerCursor(readThrough: start + 18_000),
                    deviceTotal: DeviceTotal(day: day, at: start, total: 3000, slots: 2190)
                ),
                sync: sync, localTime: .fixed(0))
            try database.endSync(sync, at: start + 43_260, outcome: .complete, battery: 80, failure: nil, cause: nil)
        }
        try database.setCorrection(9000, of: user.id, on: first, at: Timestamp(first.daysSince1970 * 86_400))
        try database.enqueueChanges(
            of: user.id, for: "diary", since: first, at: Timestamp(first.daysSince1970 * 86_400))
    }
}

let arguments = Array(CommandLine.arguments.dropFirst())
switch (arguments.first, arguments.count) {
case ("prepare", 2): try prepare(arguments[1])
case ("fill", 2): try fill(arguments[1])
case ("merge", 4):
    guard let day = Day(arguments[2]), let days = Int(arguments[3]) else { fallthrough }
    try merge(arguments[1], from: day, days: days)
case ("slots", 4):
    guard let day = Day(arguments[2]), let days = Int(arguments[3]) else { fallthrough }
    try mergeSlots(arguments[1], from: day, days: days)
default:
    print("usage: HistoryBenchmark prepare DB | fill DB | merge DB DAY DAYS | slots DB DAY DAYS")
}
