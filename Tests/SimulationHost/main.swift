// The simulated BlueZ on a bus of its own, for a program in another language: Tests/RealStack/guest/parity.py makes the
// same calls on it and on the real bluetoothd.
//
//   SimulationHost --config FILE [--experimental]
//   SimulationHost --ring
//
// FILE describes the peripherals, as for the virtual machine (Tests/RealStack/peripherals). Prints the bus's address,
// then answers each line of standard input with a line of JSON: the commands of Tests/RealStack/virtual/__main__.py
// that parity.py uses. It ends at the end of its input. With --ring there is one ring, for Tests/Benchmarks/faults.py:
// see RingHost.swift.

import Foundation
import SimulatedBlueZ

func run() async throws {
    var arguments = CommandLine.arguments.dropFirst()
    if arguments == ["--ring"] { return try await hostRing() }
    var quirks = Quirks()
    if let index = arguments.firstIndex(of: "--experimental") {
        arguments.remove(at: index)
        quirks.isExperimental = true
    }
    guard arguments.count == 2, arguments.first == "--config", let file = arguments.last else {
        throw DescribedPeripheral.Invalid(description: "usage: SimulationHost --config FILE [--experimental]")
    }
    struct Configuration: Decodable {
        let peripherals: [DescribedPeripheral.Description]
    }
    let configuration = try JSONDecoder().decode(Configuration.self, from: Data(contentsOf: URL(filePath: file)))
    let peripherals = try configuration.peripherals.map(DescribedPeripheral.init)
    guard let first = peripherals.first else {
        throw DescribedPeripheral.Invalid(description: "\(file): no peripheral")
    }
    let stack = try await SimulatedBlueZ.start(peripherals: peripherals, quirks: quirks)
    print(stack.address)
    fflush(nil)  // output to a pipe is buffered
    while let line = readLine() {
        do {
            try await command(line.split(separator: " ").map(String.init), first, stack)
            print("\"ok\"")
        } catch {
            let reply = try JSONEncoder().encode(["error": "\(error)"])
            print(String(decoding: reply, as: UTF8.self))
        }
        fflush(nil)
    }
    await stack.stop()
}

func command(_ words: [String], _ peripheral: DescribedPeripheral, _ stack: SimulatedBlueZ) async throws {
    func set(_ fault: Fault, _ isOn: Bool) async {
        if isOn {
            await stack.inject(fault, for: peripheral.address)
        } else {
            await stack.remove(fault, for: peripheral.address)
        }
    }
    switch (words.first, words.dropFirst().first) {
    case ("drop", _): await stack.drop(peripheral.address)
    case ("range", let state?): await set(.outOfRange, state == "out")
    // A peripheral that does not advertise cannot be connected to, like one out of range.
    case ("advertise", let state?): await set(.outOfRange, state == "off")
    case ("pairing", let answer?): await set(.pairingRefused(), answer == "refuse")
    case ("notify", let uuid?) where words.count == 3:
        try peripheral.notify(DescribedPeripheral.uuid(uuid), DescribedPeripheral.bytes(words[2]))
    case ("fault", let uuid?) where words.count >= 3:
        try await fault(words[2], words.dropFirst(3).first, of: DescribedPeripheral.uuid(uuid), peripheral, stack)
    default: throw DescribedPeripheral.Invalid(description: "no such command: \(words.joined(separator: " "))")
    }
}

/// A stall or a drop strikes the next read of any characteristic: the simulation's faults are those of a peripheral.
func fault(
    _ kind: String, _ argument: String?, of uuid: AttributeUUID, _ peripheral: DescribedPeripheral,
    _ stack: SimulatedBlueZ
) async throws {
    switch kind {
    case "error":
        guard let code = argument.flatMap({ UInt8($0.dropFirst(2), radix: 16) }) else {
            throw DescribedPeripheral.Invalid(description: "an error is written 0x80")
        }
        peripheral.setError(ATTError(code), of: uuid)
    case "stall": await stack.inject(.stall(.read), for: peripheral.address)
    case "drop": await stack.inject(.drop(during: .read), for: peripheral.address)
    case "none":
        peripheral.setError(nil, of: uuid)
        await stack.clearFaults(for: peripheral.address)
    default: throw DescribedPeripheral.Invalid(description: "no such fault: \(kind)")
    }
}

do {
    try await run()
} catch {
    FileHandle.standardError.write(Data("SimulationHost: \(error)\n".utf8))
    exit(1)
}
