import StepDomain
internal import Support
internal import Synchronization

/// What a watch does beside its loop: reading a pedometer, following one, and checking a long silence. Each ends with
/// an event, or when it is cancelled.
struct WatchTasks: Sendable {
    let context: WatchContext
    let options: WatchOptions
    let problems: ProblemReport
    let events: WatchEvents
    let end = WatchEnd()

    func sync(_ pedometer: Pedometer, listening: ListeningState) -> Task<Void, Never> {
        Task { events.put(.synced(pedometer.id, await syncNow(pedometer, listening))) }
    }

    private func syncNow(_ pedometer: Pedometer, _ listening: ListeningState) async -> WatchEvent.SyncEnd {
        let services: ServiceContext
        do {
            services = try await openServices()
        } catch {
            return .failed(error)
        }
        do {
            // Connecting often fails during a scan.
            await context.scanner.pause()
            try Task.checkCancellation()
            let syncOptions = SyncService.Options(
                isShared: options.isShared, includesMaintenance: options.isUnattended, listening: listening)
            let outcome = try await SyncService(services, syncOptions).run([pedometer])
            await report(outcome, of: pedometer, services)
            return .finished(isComplete: outcome.reports.allSatisfy { $0.failure == nil })
        } catch {
            return services.lock.conflictingWork(in: error) == nil ? .failed(error) : .blocked(error)
        }
    }

    /// The steps are stored even if this fails.
    private func report(_ outcome: SyncService.Outcome, of pedometer: Pedometer, _ services: ServiceContext) async {
        if Task.isCancelled { return }
        problems.end(.reading(pedometer.id))
        do {
            if options.isUnattended {
                try await context.reporter(services).report(outcome)
            } else {
                try context.output.synced(outcome)
                if options.marksNotices { await services.markSeen(in: outcome) }
            }
            problems.end(.reporting)
        } catch {
            problems.begin(.reporting, error)
        }
    }

    /// Stays connected to a pedometer.
    ///
    /// - Parameter known: today's steps.
    func follow(_ pedometer: Pedometer, known: KnownSteps) -> Task<Void, Never> {
        Task {
            let values = LiveValues()
            let result: Result<Bool, any Error>
            do {
                await context.scanner.pause()
                try Task.checkCancellation()
                let isFollowed = try await context.reader.follow(pedometer, known: known, keep: { values.add($0) }) {
                    [events] in
                    events.put(.stepped(pedometer.id, $0))
                }
                // `follow` returns true also when it is cancelled: that must be reported as released, not as lost.
                if isFollowed { try Task.checkCancellation() }
                result = .success(isFollowed)
            } catch {
                result = .failure(error)
            }
            // When it is released for a sync, that reads the last value.
            await store(values.take(withLast: !Task.isCancelled || end.hasBegun), of: pedometer)
            events.put(.followed(pedometer.id, result))
        }
    }

    /// Stores values as readings, also when the task is cancelled.
    private func store(_ values: [CounterReading], of pedometer: Pedometer) async {
        guard !values.isEmpty else { return }
        await Task {
            do {
                let services = try await openServices()
                try await services.lock.hold(for: .syncing) {
                    // Under the lock, as for a sync: the cursor may have moved.
                    let known = try await blocking { try services.history.pedometers() }
                    guard let current = known.first(where: { $0.id == pedometer.id }) else { return }
                    let recorder = SyncRecorder(services.history, localTime: services.localTime, now: services.now)
                    let reports = await recorder.record([current]) {
                        for begun in $0 { await context.reader.deliver(values, of: begun, to: $1) }
                    }
                    for failure in reports.compactMap(\.failure) { throw failure }
                }
                problems.end(.storing(pedometer.id))
            } catch {
                problems.begin(.storing(pedometer.id), error)
            }
        }.value
    }

    /// Reports a pedometer that was not heard for days.
    func checkSilence(_ listening: ListeningState) -> Task<Void, Never> {
        Task {
            // Without a history there is no pedometer; why it cannot be opened is reported when it is read the next
            // time.
            guard let services = try? await openServices() else { return }
            do {
                try await context.reporter(services).checkSilence(listening)
                problems.end(.silence)
            } catch {
                problems.begin(.silence, error)
            }
        }
    }

    /// What is known of a pedometer's day before it is followed: its own steps, as it will report them, not those of
    /// its user.
    func today(of pedometer: Pedometer) async -> (figure: LiveFigures.Figure, known: KnownSteps) {
        let known = try? await blocking { [context] () -> (steps: Int?, goal: Int?, others: Int)? in
            let services = context.services(try context.histories.history())
            guard let owner = try services.history.users().first(where: { $0.id == pedometer.user }) else { return nil }
            let data = try services.history.dayData(of: owner, on: context.localTime.day(of: context.now()))
            let track = data.tracks.first {
                $0.pedometer == pedometer.id && !($0.samples.isEmpty && $0.coverage.isEmpty)
            }
            return (
                track.map { $0.samples.reduce(0) { $0 + $1.steps } }, data.plan?.goal(on: data.day),
                try services.history.stepsOfOthers(by: pedometer.id, on: data.day)
            )
        }
        return (
            LiveFigures.Figure(name: pedometer.name, steps: known?.steps, goal: known?.goal),
            KnownSteps(own: known?.steps ?? 0, others: known?.others ?? 0)
        )
    }

    private func openServices() async throws -> ServiceContext {
        try await blocking { [context] in context.services(try context.histories.history()) }
    }
}

extension WatchContext {
    /// The pedometers to watch, and when each was read.
    ///
    /// - Throws: the history's error, or `ServiceError` for a name that it does not have.
    func entries(_ options: WatchOptions, now: Timestamp) throws -> [WatchState.Entry] {
        let history: History
        do {
            history = try histories.history()
        } catch  where options.isUnattended && histories.isMissing(error) {
            // A service may be started before the first pedometer is added.
            return []
        }
        let chosen = try PedometerSelection(history, ofUserNamed: options.user).pedometers(named: options.pedometers)
        return try chosen.map { pedometer in
            // A time in the future was recorded while the machine's clock was ahead.
            let last = try history.lastCompleteSync(of: pedometer.id, until: now + Watch.refreshInterval)
            return WatchState.Entry(
                pedometer: pedometer, lastComplete: last.map { $0.end ?? $0.start },
                holdsTodayOnly: reader.holdsTodayOnly(pedometer),
                isAdvertised: reader.advertisesSteps(pedometer))
        }
    }
}
