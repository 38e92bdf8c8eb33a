import BlueZ
import DBus
import Pedometers
import SimulatedBlueZ
import StepDomain
import TestSupport
import Testing

/// Pairing happens only if a pedometer requires it.
@Suite(.timeLimit(.minutes(5))) struct PairingTests {
    private static let steps = CharacteristicID("fff0", "fff1")

    private func with(
        _ peripheral: any SimulatedPeripheral,
        _ body: (SimulatedBlueZ, BluetoothAccess) async throws -> Void
    ) async throws {
        let stack = try await SimulatedBlueZ.start(peripherals: [peripheral], timing: .immediate)
        var limits = ConnectionLimits()
        limits.attempts = 1
        limits.operation = .seconds(1)  // 5.66 shows the demand as a read that is never answered
        let access = BluetoothAccess(
            limits: limits, localTime: .fixed(0), now: { Timestamp(1_779_272_000) },
            central: { try await Central.open(.address(stack.address), clock: ScaledClock.slow) })
        do { try await body(stack, access) } catch {
            await stack.stop()
            throw error
        }
        await stack.stop()
    }

    private func generic(_ peripheral: SimulatedGeneric) -> Pedometer {
        Pedometer(
            id: 1, user: 1, model: Generic.key, address: peripheral.address, addressType: "random", name: "watch",
            options: ["service": "fff0", "characteristic": "fff1", "counts": "today"])
    }

    private func watch(
        _ security: SimulatedCharacteristic.Security, _ pairing: PairingMethod = .justWorks
    ) -> SimulatedGeneric {
        SimulatedGeneric(
            address: "C0:DE:00:00:00:07", name: "Watch", advertisedServices: [], steps: Self.steps,
            source: .manual(4321),
            security: security, pairing: pairing)
    }

    @Test func `a pedometer that requires encryption is paired and read`() async throws {
        let watch = watch(.encrypted)
        try await with(watch) { stack, access in
            try await access.check(generic(watch))
            #expect(await stack.snapshot.bonded == [watch.address])
            let receiver = RecordingReceiver()
            _ = try await access.read(generic(watch), into: receiver)
            #expect(receiver.batches.flatMap(\.samples).map(\.steps) == [4321])
            #expect(receiver.batches.flatMap(\.frames).filter { $0.direction == .received }.map(\.bytes.count) == [4])
            #expect(stack.history.count { $0 == .paired(watch.address) } == 1)
        }
    }

    @Test func `a pedometer without encryption is not paired`() async throws {
        let watch = watch(.open, .unsupported)
        try await with(watch) { stack, access in
            try await access.check(generic(watch))
            #expect(await stack.snapshot.bonded.isEmpty)
        }
    }

    @Test func `a ring without pairing support is read without it`() async throws {
        let ring = SimulatedColmi(clock: .utc)
        try await with(ring) { stack, access in
            await stack.inject(.pairingRefused(), for: ring.address)
            let pedometer = Pedometer(
                id: 1, user: 1, model: Colmi.key, address: ring.address, addressType: "random", name: "ring")
            _ = try await access.check(pedometer)
            #expect(await stack.snapshot.bonded.isEmpty)
        }
    }

    private func pedometer(_ ring: SimulatedColmi) -> Pedometer {
        Pedometer(id: 1, user: 1, model: Colmi.key, address: ring.address, addressType: "random", name: "ring")
    }

    @Test func `a ring that asks for a bond is paired over the same link, once`() async throws {
        let ring = SimulatedColmi(clock: .utc)
        ring.behaviour.asksForBond = true
        try await with(ring) { stack, access in
            try await access.check(pedometer(ring))
            #expect(await stack.snapshot.bonded == [ring.address])
            #expect(stack.history.count { $0 == .connected(ring.address) } == 1)
            try await access.check(pedometer(ring))
            _ = try await access.read(pedometer(ring), into: RecordingReceiver())
            #expect(stack.history.count { $0 == .paired(ring.address) } == 1)
            #expect(ring.received.count { $0[0] == 0x3c } == 1, "a paired ring is not asked, and no sync asks")
        }
    }

    /// A private address changes every quarter of an hour; with a bond, BlueZ knows the peripheral by its own.
    @Test func `a ring with a private address is known by its own after it is paired`() async throws {
        let ring = SimulatedColmi(address: "4A:DE:52:02:A1:B2", identityAddress: "C0:DE:52:02:A1:B2", clock: .utc)
        ring.behaviour.asksForBond = true
        try await with(ring) { _, access in
            let identity = try await access.check(pedometer(ring))
            #expect(identity == PedometerAddress(address: "C0:DE:52:02:A1:B2", type: "random"))
            var known = pedometer(ring)
            known.address = try #require(identity).address
            #expect(try await access.check(known) == nil)
            let receiver = RecordingReceiver()
            _ = try await access.read(known, into: receiver)
            #expect(!receiver.batches.isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `a ring that does not know the question about a bond is not paired`(answers: Bool) async throws {
        let ring = SimulatedColmi(clock: .utc)
        ring.behaviour.asksForBond = true
        if answers { ring.behaviour.refuses = [0x3c] } else { ring.behaviour.ignored = [0x3c] }
        try await with(ring) { stack, access in
            try await access.check(pedometer(ring))
            #expect(await stack.snapshot.bonded.isEmpty)
        }
    }

    @Test func `a bond that a ring asks for and refuses is an error with advice`() async throws {
        let ring = SimulatedColmi(clock: .utc)
        ring.behaviour.asksForBond = true
        try await with(ring) { stack, access in
            await stack.inject(.pairingRefused(), for: ring.address)
            await #expect { try await access.check(pedometer(ring)) } throws: { error in
                guard case .bondFailed(Colmi.title, _)? = error as? PedometerError else { return false }
                return (error as? PedometerError)?.category == .permission && (error as? PedometerError)?.advice != nil
            }
            let snapshot = await stack.snapshot
            #expect(snapshot.connected.isEmpty && snapshot.bonded.isEmpty)
        }
    }

    /// `[1]` is the byte that an earlier client took; an error, another command and a wrong checksum are no answers.
    @Test func `only bit 3 of byte 2 of the answer asks for a bond`() throws {
        let question = try #require(Colmi.bondQuestion)
        func packet(_ command: UInt8, _ payload: [UInt8]) -> [UInt8] {
            let head = [command] + payload + Array(repeating: 0, count: 14 - payload.count)
            return head + [head.reduce(0, &+)]
        }
        #expect(question.request == packet(0x3c, []))
        #expect(
            question.isWanted(packet(0x3c, [0, 0x08])) == true && question.isWanted(packet(0x3c, [0, 0xff])) == true)
        #expect(
            question.isWanted(packet(0x3c, [0x08, 0])) == false && question.isWanted(packet(0x3c, [0, 0xf7])) == false)
        #expect(question.isWanted(packet(0xbc, [0, 0x08])) == false)
        #expect(question.isWanted(packet(0x73, [0, 0x08])) == nil && question.isWanted([0x3c, 0, 8]) == nil)
        #expect(question.isWanted(packet(0x3c, [0, 0x08]).dropLast() + [0]) == nil)
    }

    @Test func `a sync reports why a pairing failed`() async throws {
        let watch = watch(.open)
        try await with(watch) { stack, access in
            await stack.inject(.attError(ATTError(0x05), on: .read), for: watch.address)
            await stack.inject(.pairingRefused(), for: watch.address)
            await #expect { try await access.read(generic(watch), into: RecordingReceiver()) } throws: { error in
                guard case .pairingFailed? = error as? BluetoothError else { return false }
                return true
            }
        }
    }

    @Test func `a refused pairing is reported`() async throws {
        let watch = watch(.encrypted)
        try await with(watch) { stack, access in
            await stack.inject(.pairingRefused(), for: watch.address)
            await #expect { try await access.check(generic(watch)) } throws: { error in
                guard case .pairingFailed? = error as? BluetoothError else { return false }
                return true
            }
            #expect(await stack.snapshot.connected.isEmpty)
        }
    }
}
