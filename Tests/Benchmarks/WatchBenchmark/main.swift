// What Tests/Benchmarks/watch.sh measures a watch against: BlueZ and a ring, simulated on a bus of their own.
//
// Prints the bus's address, then reads words from standard input: `in` and `out` bring the ring into range or out of
// it. It ends at the end of its input.

import Foundation
import SimulatedBlueZ

struct Usage: Error {}
guard CommandLine.arguments.count == 2, ["monitor", "scans"].contains(CommandLine.arguments[1]) else {
    print("usage: WatchBenchmark monitor|scans")
    throw Usage()
}

var quirks = Quirks()
quirks.isExperimental = CommandLine.arguments[1] == "monitor"
let ring = SimulatedColmi()
let stack = try await SimulatedBlueZ.start(peripherals: [ring], quirks: quirks)
print("\(stack.address) \(ring.address)")
fflush(nil)  // output to a pipe is buffered
while let word = readLine() {
    if word == "in" {
        await stack.remove(.outOfRange, for: ring.address)
    } else {
        await stack.inject(.outOfRange, for: ring.address)
    }
}
await stack.stop()
