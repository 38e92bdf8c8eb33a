import StepDomain

/// The machine: Bluetooth from the kernel up, the clock, the configuration, the timers.
extension Doctor {
    /// Detects a kernel without Bluetooth, or one that denies it to this process.
    var kernel: Check {
        Check("kernel", .bluetooth, .kernel) { [bluetooth.radios()?.kernel ?? .bluetooth(.otherBus)] }
    }

    /// Whether rfkill blocks the radio.
    var radioSwitch: Check {
        Check("switch", .bluetooth, .radioSwitch, needs: ["kernel"]) { bluetooth.radios().map { [$0.radioSwitch] } ?? [] }
    }

    /// Whether the kernel has an adapter.
    var adapter: Check {
        Check("adapter", .bluetooth, .adapter, needs: ["kernel", "switch"]) { bluetooth.radios().map { [$0.adapter] } ?? [] }
    }

    /// The bus that leads to the Bluetooth service.
    var bus: Check {
        Check("bus", .bluetooth, .bus, limit: .seconds(15)) {
            [.bluetooth(try await system.busFailure().map { .busUnreachable(reason: $0) } ?? .busAnswers)]
        }
    }

    /// Whether the Bluetooth service runs, or can be started, and whether this user may use it.
    func bluetoothService(_ known: EarlierResults) -> Check {
        // The bus may have to start it.
        Check("daemon", .bluetooth, .bluetoothService, needs: ["bus", "adapter"], limit: .seconds(45)) {
            known.session = try await bluetooth.open()
            return [.bluetooth(.serviceAnswers)]
        }
    }

    /// Whether the adapter is switched on, and whether another program scans with it.
    func adapterPower(_ known: EarlierResults) -> Check {
        Check("power", .bluetooth, .adapterPower, needs: ["daemon"]) {
            guard let session = known.session else { return [] }
            let (name, isScanning) = try await session.adapter()
            return [.bluetooth(.adapterOn(name: name))] + (isScanning ? [.bluetooth(.adapterScanning(name: name))] : [])
        }
    }

    /// The clock and the time zone.
    var time: Check {
        Check("clock", .time, .clock, limit: .seconds(20)) { await system.time().diagnoses }
    }

    /// The files of the configuration: all that is wrong with them, and who may change them.
    var configuration: Check {
        Check("configuration", .configuration, .configuration) {
            var diagnoses: [ConfigurationDiagnosis] = request.configurationProblems.map { .invalid($0) }
            let files = try await blocking { request.configurationFiles.compactMap { system.file(at: $0) } }
            diagnoses += files.filter { $0.mode & 0o022 != 0 }.map { .writableByOthers(path: $0.path) }
            return (diagnoses.isEmpty ? [.valid(files: request.configurationFiles)] : diagnoses).map { .configuration($0) }
        }
    }

    /// The timers that sync every night, and before midnight.
    func timers(_ known: EarlierResults) -> Check {
        Check("timer", .schedule, .timer, limit: .seconds(30)) {
            guard let timers = try await system.timers(), !timers.isEmpty else { return [.noSystemd] }
            let todayOnly = (known.pedometers ?? []).filter { bluetooth.holdsTodayOnly($0) }.map(\.name)
            return timers.flatMap { $0.diagnoses(now: now(), todayOnly: todayOnly) }
        }
    }
}
