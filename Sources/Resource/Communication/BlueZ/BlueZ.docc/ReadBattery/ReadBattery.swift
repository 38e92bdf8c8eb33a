// Finds a peripheral, connects to it, and prints its battery level.
//
//   ReadBattery            the first one that advertises the Battery Service
//   ReadBattery PREFIX     the first one whose name starts with PREFIX
//
// This is the program of the article "Getting started". A test compares them.

import BlueZ
import Glibc

@main
struct ReadBattery {
    static func main() async {
        var filter = ScanFilter(services: ["180f"])
        if let prefix = CommandLine.arguments.dropFirst().first { filter = ScanFilter(namePrefix: prefix) }
        do {
            try await Central.withCentral { central in
                let found = try await central.find(
                    filter, described: "a peripheral with a battery", limit: .seconds(20))
                print("Found \(found.address).")

                let value = try await central.withPeripheral(found.address, isInRange: true) { peripheral in
                    try await peripheral.read("2a19", of: "180f")
                }
                if let level = value.first { print("Battery: \(level) %") }
            }
        } catch {
            print("Failed: \(error).", (error as? BluetoothError)?.advice ?? "")
            exit(1)
        }
    }
}
