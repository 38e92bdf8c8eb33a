// What Tests/Benchmarks/decoder.sh measures: a ring's session from frames to samples, without link or clock.

import Pedometers
import StepDomain

/// A day of 60 records of quarters of an hour, as a ring sends it: header and records, checksums included.
func frames(of day: Day) -> [[UInt8]] {
    func packet(_ bytes: [UInt8]) -> [UInt8] {
        let body = bytes + Array(repeating: 0, count: 15 - bytes.count)
        return body + [body.reduce(0, &+)]
    }
    let date = day.components
    let head = [date.year % 100, date.month, date.day].map { UInt8(($0 / 10) << 4 + $0 % 10) }
    return [packet([0x43, 0xf0, 60, 1])]
        + (0..<60).map { packet([0x43] + head + [20 + $0, $0, 60, 50, 0, 144, 1, 44, 1, 0]) }
}

guard CommandLine.arguments.count == 2, let rounds = Int(CommandLine.arguments[1]) else {
    print("usage: DecoderBenchmark ROUNDS")
    throw Usage()
}
struct Usage: Error {}

let today = Day(daysSince1970: 20_000)
let now = Timestamp(today.daysSince1970 * 86_400 + 86_000)
let week = (0..<7).map { frames(of: today.advanced(by: -$0)) }
let ring = Pedometer(
    id: 1, user: 1, model: Colmi.key, address: "C0:DE:00:00:00:01", addressType: "random", name: "ring")
let context = SessionContext(pedometer: ring, localTime: .fixed(0), days: 7)

var decoded = 0
var steps = 0
for _ in 0..<rounds {
    var session = Colmi.session(context)
    var event = SessionEvent.started
    var answer: [[UInt8]] = []
    var next = 0
    running: while true {
        switch session.next(after: event, at: now, uptime: .zero) {
        case .subscribe, .subscribeAll: event = .done
        case .write(let request, _, _):
            answer = request[0] == 0x43 ? week[Int(request[1])] : []
            next = 0
            event = .done
        case .receive:
            if next < answer.count {
                event = .value(answer[next])
                next += 1
                decoded += 1
            } else {
                event = .silence
            }
        case .deliver(let batch, _):
            steps += batch.samples.reduce(0) { $0 + $1.steps }
            event = .done
        case .read, .readIfPresent, .stream, .writeIfPresent, .finish, .fail: break running
        }
    }
}
print(decoded, steps)
