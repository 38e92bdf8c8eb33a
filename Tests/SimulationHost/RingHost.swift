import Foundation
import SimulatedBlueZ

/// A ring with eight days, and faults that strike a program which reads it. The commands, one a line:
///
///     strike SEED     the faults of this seed strike from now on
///     calm            no more faults, and the adapter is on
///     truth           the steps of each slot, by its start in seconds by the ring's clock
///     connected       the addresses of connected devices
func hostRing() async throws {
    let ring = SimulatedColmi(clock: .local(.current))
    let stack = try await SimulatedBlueZ.start(peripherals: [ring], timing: .realistic)
    // Battery, set time, and for each day a header and its slots.
    let packets = 2 + SimulatedColmi.daysKept.reduce(0) { $0 + 1 + ring.expectedSteps(daysAgo: $1).count }
    var strikes: Task<Void, Never>?
    print(stack.address)
    fflush(nil)
    while let line = readLine() {
        let words = line.split(separator: " ")
        var answer: any Encodable = "ok"
        switch words.first {
        case "strike":
            guard let seed = words.last.flatMap({ UInt64($0) }) else {
                throw DescribedPeripheral.Invalid(description: line)
            }
            let sequence = FaultSequence(seed: seed, packets: packets)
            strikes = Task { try? await stack.strike(sequence, at: ring.address) }
            answer = sequence.strikes.map { "\($0)" }
        case "calm":
            strikes?.cancel()
            await strikes?.value
            await stack.clearFaults()
            try await stack.returnToBus()
            await stack.setPowered(true)
        case "truth":
            answer = Dictionary(ring.expectedSteps().map { ("\($0.start.seconds)", $0.steps) }, uniquingKeysWith: max)
        case "connected": answer = await stack.snapshot.connected.sorted()
        default: throw DescribedPeripheral.Invalid(description: "no such command: \(line)")
        }
        print(String(decoding: try JSONEncoder().encode(answer), as: UTF8.self))
        fflush(nil)
    }
    strikes?.cancel()
    await stack.stop()
}
