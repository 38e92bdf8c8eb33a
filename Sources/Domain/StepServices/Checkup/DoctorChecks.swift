import StepDomain
internal import Support

/// The machine: Bluetooth from the kernel up, the clock, the configuration, the timers.
extension Doctor {
    /// Detects a kernel without Bluetooth, or one that denies it to this process.
    var kernel: Check {
        Check(.kernel, .kernel) { _ in [bluetooth.radios()?.kernel ?? .bluetooth(.otherBus)] }
    }

    /// Whether rfkill blocks the radio.
    var radioSwitch: Check {
        Check(.radioSwitch, .radioSwitch, needs: [.kernel]) { _ in
            bluetooth.radios().map { [$0.radioSwitch] } ?? []
        }
    }

    /// Whether the kernel has an adapter.
    var adapter: Check {
        Check(.adapter, .adapter, needs: [.kernel, .radioSwitch]) { _ in
            bluetooth.radios().map { [$0.adapter] } ?? []
        }
    }

    /// The bus that leads to the Bluetooth service.
    var bus: Check {
        Check(.bus, .bus, limit: .seconds(15)) { _ in
            [.bluetooth(try await system.busFailure().map { .busUnreachable(reason: $0) } ?? .busAnswers)]
        }
    }

    /// Whether the Bluetooth service runs, or can be started, and whether this user may use it.
    var bluetoothService: Check {
        // The bus may have to start it.
        Check(.service, .bluetoothService, needs: [.bus, .adapter], limit: .seconds(45)) { known in
            known.session = try await bluetooth.open()
            return [.bluetooth(.serviceAnswers)]
        }
    }

    /// Whether the adapter is switched on, and whether another program scans with it.
    var adapterPower: Check {
        Check(.power, .adapterPower, needs: [.service]) { known in
            guard let session = known.session else { return [] }
            let (name, isScanning) = try await session.adapter()
            return [.bluetooth(.adapterOn(name: name))] + (isScanning ? [.bluetooth(.adapterScanning(name: name))] : [])
        }
    }

    /// The clock and the time zone.
    var time: Check {
        Check(.clock, .clock, limit: .seconds(20)) { _ in await system.time().diagnoses }
    }

    /// The files of the configuration: all that is wrong with them, and who may change them.
    var configuration: Check {
        Check(.configuration, .configuration) { _ in
            var diagnoses: [ConfigurationDiagnosis] = request.configurationProblems.map { .invalid($0) }
            let files = try await blocking { request.configurationFiles.compactMap { system.file(at: $0) } }
            diagnoses += files.filter { $0.mode & 0o022 != 0 }.map { .writableByOthers(path: $0.path) }
            return (diagnoses.isEmpty ? [.valid(files: request.configurationFiles)] : diagnoses).map {
                .configuration($0)
            }
        }
    }

    /// The timers that sync every night, and before midnight.
    var timers: Check {
        Check(.timers, .timer, limit: .seconds(30)) { known in
            guard let timers = try await system.timers(), !timers.isEmpty else { return [.noSystemd] }
            let todayOnly = (known.pedometers ?? []).filter { bluetooth.holdsTodayOnly($0) }.map(\.name)
            return timers.flatMap { $0.diagnoses(now: now(), todayOnly: todayOnly) }
        }
    }
}

/// The history and its file.
extension Doctor {
    /// Whether the history exists, is istep's own, and is sound.
    var historyFile: Check {
        // The whole file is read, even a large one, possibly from an SD card.
        Check(.history, .history, limit: .seconds(120)) { known in
            guard let file = history else { return [.history(.noPath)] }
            let condition = try await file.condition()
            if condition.hasNoPedometers { known.pedometers = [] }
            guard condition.isReadable else { return condition.diagnoses(path: file.path) }
            if let unknown = try await read(file, &known) { return [unknown] }
            let wrong = try await file.wrongSums(inNewest: Self.daysOfSums)
            if let newest = wrong.first { return [.history(.wrongSums(days: wrong.count, newest: newest))] }
            return condition.diagnoses(path: file.path)
        }
    }

    /// Days of each person whose stored sums are compared with the samples: 0.2 s for a year of minute samples. The
    /// weekly check and `--repair` compare all.
    private static let daysOfSums = 366

    /// Opens the history for later checks.
    ///
    /// - Returns: a diagnosis if the requested user is not in it.
    private func read(_ file: any HistoryProbe, _ known: inout EarlierResults) async throws -> Diagnosis? {
        let history = try await file.open()
        var wanted: User.ID?
        if let name = request.user {
            let users = try await blocking { try history.users() }
            guard let user = users.named(name) else {
                return .history(.unknownUser(name, known: users.map(\.name)))
            }
            wanted = user.id
        }
        known.pedometers = try await blocking { [wanted] in
            try history.pedometers().filter { wanted == nil || $0.user == wanted }
        }
        known.history = history
        return nil
    }

    /// Whether only the owner has access to the history.
    var permissions: Check {
        Check(.permissions, .permissions) { _ in try await history?.storage()?.permissions ?? [] }
    }

    /// Whether the history can grow.
    var space: Check {
        Check(.space, .disk) { _ in try await history?.storage()?.space ?? [] }
    }

    /// When a file that the nightly sync imports was last read.
    func scheduledImport(_ plan: ScheduledImport) -> Check {
        Check(.scheduledImport, .importFile(plan.name), needs: [.history]) { _ in
            let states = try await blocking { try request.importStates() }
            return [
                .scheduledImport(
                    ScheduledImportStatus(plan, states.first { $0.name == plan.name }, now: now()))
            ]
        }
    }

    /// Which processes work on the history at this moment.
    var locks: Check {
        Check(.locks, .lock) { _ in
            // A repair and a restore hold both locks.
            var holders: Set<HistoryHolder> = []
            for work in HistoryWork.allCases {
                if let holder = try await history?.holder(of: work) { holders.insert(holder) }
            }
            return holders.sorted { $0.process < $1.process }.map { .history(.inUse($0)) }
        }
    }
}

/// The pedometers, in the air and in the history.
extension Doctor {
    /// Scans: whether the adapter can, and which devices are in range.
    var scan: Check {
        let seconds = request.searchTime
        return Check(.scan, .scan, needs: [.power], limit: .seconds(seconds + 40)) { known in
            guard request.usesRadio else { return [.scan(.notRequested)] }
            guard let session = known.session else { return [] }
            if let holder = try await history?.holder(of: .syncing) { return [.scan(.inUse(holder))] }
            let facts = try await session.scan(seconds: seconds, for: Set((known.pedometers ?? []).map(\.address)))
            known.scan = facts
            return facts.diagnoses(registered: known.pedometers?.count, seconds: seconds)
        }
    }

    /// What the history contains about a pedometer.
    func lastSyncs(of pedometer: Pedometer) -> Check {
        Check(.syncs, .pedometer(pedometer.name), needs: [.history]) { known in
            guard let history = known.history else { return [] }
            let moment = now()
            let recent = try await blocking {
                try history.recentSyncs(of: pedometer.id, at: moment, limit: Self.syncsRead)
            }
            return SyncHistoryFacts(pedometer: pedometer, recent: recent, now: moment).diagnoses
        }
    }

    /// A month of nightly syncs: more attempts than that in a row are not counted.
    private static let syncsRead = 30

    /// Connects to a pedometer, checks its services, and reads its battery and its clock.
    func connection(to pedometer: Pedometer) -> Check {
        // Three attempts to connect, each of which the kernel ends after 20 s, and the scan before them.
        Check(.pedometer, .pedometer(pedometer.name), needs: [.scan, .history], limit: .seconds(120)) { known in
            guard let scan = known.scan, let history else { return [.pedometer(pedometer.name, .notTried)] }
            let facts = PedometerFacts(pedometer: pedometer, discovered: scan.pedometers[pedometer.address])
            do {
                // Two concurrent connections to one pedometer disturb each other.
                let report = try await history.withoutSync {
                    try await bluetooth.examine(pedometer, isDiscovered: facts.discovered != nil)
                }
                return facts.diagnoses(of: report)
            } catch let error as PedometerContactError {
                return [facts.diagnosis(of: error)]
            } catch let error as HistoryInUse {
                return [.pedometer(pedometer.name, .inUse(error.holder))]
            }
        }
    }
}

/// The destinations of sharing.
extension Doctor {
    var noDestination: Check { Check(.destination, .sharing) { _ in [.noDestination] } }

    /// A destination: its credentials, its days, and whether it answers and accepts the client.
    func destination(_ destination: any ShareDestination) -> Check {
        let name = destination.name
        return Check(.destination, .destination(name), limit: .seconds(60)) { known in
            let stored = try await blocking { [history = known.history] in
                try Self.diagnoses(of: destination, in: history, now: now())
            }
            if request.destinationsOfService.contains(name) { return stored + [.destination(name, .secretOfService)] }
            let problems = destination.problems().map { Diagnosis.destination(name, .unusable($0)) }
            // Without its token, a request would fail.
            guard problems.isEmpty else { return problems + stored }
            guard request.usesNetwork else { return stored + [.destination(name, .notContacted)] }
            do throws(ShareFailure) {
                let users = (try? await blocking { [history = known.history] in try history?.users() }) ?? nil
                let description = try await destination.check(for: users ?? [])
                return [.destination(name, .answers(location: destination.location, description: description))] + stored
            } catch {
                return [.failed(.destination(name), Problem(error.naming(destination.secretPlace)))] + stored
            }
        }
    }

    /// What the history contains about it.
    private static func diagnoses(of destination: any ShareDestination, in history: History?, now: Timestamp) throws
        -> [Diagnosis]
    {
        guard let history else { return [] }
        var diagnoses: [Diagnosis] = []
        let users = try history.users()
        if !users.isEmpty, let problem = RecipientProblem(destination, users: users) {
            diagnoses.append(.destination(destination.name, .recipients(problem)))
        }
        let entries = try history.entries(for: destination.name, in: ShareEntry.State.unsettled)
        return diagnoses
            + OutboxFacts(state: try history.state(of: destination.name), entries: entries, now: now).diagnoses
    }
}
