import BlueZ
import DBus
import Pedometers
import SimulatedBlueZ
import StepDomain
import Testing

/// Pairing happens where a pedometer demands it, and nowhere else.
@Suite(.timeLimit(.minutes(5))) struct PairingTests {
    private static let steps = CharacteristicID("fff0", "fff1")

    private func with(
        _ peripheral: any SimulatedPeripheral,
        _ body: (SimulatedBlueZ, BluetoothPedometerReader) async throws -> Void
    ) async throws {
        let stack = try await SimulatedBlueZ.start(peripherals: [peripheral], timing: .immediate)
        var limits = ConnectionLimits()
        limits.attempts = 1
        limits.operation = .seconds(1)      // a read that is never answered is how 5.66 shows the demand
        let reader = BluetoothPedometerReader(
            limits: limits, localTime: .fixed(0), now: { Timestamp(1_779_272_000) },
            central: { try await Central.open(.address(stack.address)) })
        do { try await body(stack, reader) } catch {
            await stack.stop()
            throw error
        }
        await stack.stop()
    }

    private func generic(_ peripheral: SimulatedPedometer) -> Pedometer {
        Pedometer(
            id: 1, user: 1, model: Generic.key, address: peripheral.address, addressType: "random", name: "watch",
            options: ["service": "fff0", "characteristic": "fff1", "counts": "today"])
    }

    private func watch(
        _ security: SimulatedCharacteristic.Security, _ pairing: PairingMethod = .justWorks
    ) -> SimulatedPedometer {
        SimulatedPedometer(
            address: "C0:DE:00:00:00:07", name: "Watch", advertisedServices: [], steps: Self.steps, source: .manual(4321),
            security: security, pairing: pairing)
    }

    @Test func aPedometerThatDemandsEncryptionIsPairedWithAndRead() async throws {
        let watch = watch(.encrypted)
        try await with(watch) { stack, reader in
            try await reader.check(generic(watch))
            #expect(await stack.snapshot.bonded == [watch.address])
            let report = try await reader.read(generic(watch), progress: { _ in }, merge: { batch in
                #expect(batch.samples.map(\.steps) == [4321])
            })
            #expect(report.bytesReceived == 4)
            #expect(stack.history.count { $0 == .paired(watch.address) } == 1)
        }
    }

    @Test func anOpenOneIsNot() async throws {
        let watch = watch(.open, .unsupported)
        try await with(watch) { stack, reader in
            try await reader.check(generic(watch))
            #expect(await stack.snapshot.bonded.isEmpty)
        }
    }

    @Test func aRingThatKnowsNoPairingIsReadWithoutIt() async throws {
        let ring = SimulatedRing(clock: .utc)
        try await with(ring) { stack, reader in
            await stack.inject(.pairingRefused(), for: ring.address)
            let pedometer = Pedometer(
                id: 1, user: 1, model: Colmi.key, address: ring.address, addressType: "random", name: "ring")
            _ = try await reader.check(pedometer)
            #expect(await stack.snapshot.bonded.isEmpty)
        }
    }

    @Test func aRefusedPairingIsNamed() async throws {
        let watch = watch(.encrypted)
        try await with(watch) { stack, reader in
            await stack.inject(.pairingRefused(), for: watch.address)
            await #expect { try await reader.check(generic(watch)) } throws: { error in
                guard case .pairingFailed? = error as? BluetoothError else { return false }
                return true
            }
            #expect(await stack.snapshot.connected.isEmpty)
        }
    }
}
