internal import BlueZ
internal import StepDomain
internal import Synchronization

/// The reading of one pedometer, over one link or, when that is lost, over a second one.
struct PedometerReading: Sendable {
    let environment: ReadingEnvironment
    let central: Central
    let receiver: any ReadingReceiver
    let target: ReadTarget
    /// Whether a search did not hear it: then only one attempt to connect is made.
    var wasNotDiscovered = false

    private var pedometer: Pedometer { target.pedometer }

    /// Reports the end to the receiver as soon as it is known, and returns when the link is down.
    ///
    /// - Parameter linkIsFree: called when the next pedometer may be connected to.
    func run(isInRange: Bool, linkIsFree: @Sendable () -> Void) async {
        var environment = environment
        if wasNotDiscovered { environment.limits.attempts = 1 }
        let cursor = MergedCursor(pedometer.cursor)
        let link = PedometerLink(environment: environment, central: central, target: target, isInRange: isInRange)
        var timers: [LinkTimer] = []
        var loss: (step: LinkRetry.Step, error: any Error)?
        var hasEnded = false
        do {
            _ = try await link.run(LinkRetry(mayPair: target.protectedValue != nil), progress: { cursor.moves }) {
                step, error in
                loss = (step, error)
                if step != .pair { receiver.progress(.reconnecting, of: pedometer) }
            } ended: { peripheral, result in
                hasEnded = true
                // The rest needs no link.
                peripheral.disconnect()
                linkIsFree()
                await end(result)
            } _: { peripheral in
                timers.append(peripheral.timer)
                receiver.progress(.connecting, of: pedometer)
                return try await read(over: peripheral, cursor)
            }
        } catch {
            // There is no link, or not to the right device, or the pairing failed. What ended the link before may say
            // more.
            if !hasEnded {
                let earlier = loss.flatMap { $0.step.isLessInformative(error, than: $0.error) ? $0.error : nil }
                await end(.failure(Task.isCancelled ? CancellationError() : earlier ?? absence(error)))
            }
        }
        if !timers.isEmpty {
            receiver.disconnected(pedometer, after: timers.reduce(.zero) { $0 + $1.elapsed }.inSeconds)
        }
    }

    /// A session continues from the merged batches: what was read over a lost link is not requested again.
    private func read(over peripheral: Peripheral, _ cursor: MergedCursor) async throws -> SessionDriver.Outcome {
        var current = pedometer
        current.cursor = cursor.value
        let start = environment.clockMark()
        let context = SessionContext(
            pedometer: current, localTime: environment.localTime, days: environment.days, mark: start)
        cursor.begin(with: context.pedometer.cursor)
        let session = try target.model.session(context)
        return try await SessionDriver.run(
            session, over: peripheral, environment, { [receiver, pedometer] in receiver.progress($0, of: pedometer) },
            { [environment, receiver, pedometer] batch in
                let marked = context.marked(batch, start: start, now: environment.clockMark(), after: cursor.value)
                try await receiver.merge(marked, of: pedometer)
                if batch.cursor != nil, let moved = marked.cursor { cursor.move(to: moved) }
            })
    }

    private func end(_ result: Result<SessionDriver.Outcome, any Error>) async {
        do {
            let outcome = try result.get()
            if let rest = outcome.rest { try await receiver.merge(rest, of: pedometer) }
            await receiver.end(of: pedometer, .success(outcome.report))
        } catch {
            await receiver.end(of: pedometer, .failure(error))
        }
    }

    /// A pedometer that a search has not heard and that cannot be connected to is reported as not in range.
    private func absence(_ error: any Error) -> any Error {
        guard wasNotDiscovered, case .connectFailed(_, let reason)? = error as? BluetoothError, reason.isTransient
        else {
            return error
        }
        return target.notFound(seconds: environment.limits.scan.inSeconds)
    }
}

extension PedometerCursor {
    /// Without the times at which something was asked or stored: that they grow is no progress.
    fileprivate var withoutMoments: PedometerCursor {
        var cursor = self
        (cursor.clockMark, cursor.lacksBatterySince, cursor.lacksTotalSince) = (nil, nil, nil)
        return cursor
    }
}

/// The cursor of the batches that were merged.
private final class MergedCursor: Sendable {
    private let state: Mutex<(cursor: PedometerCursor, moves: Int)>
    init(_ cursor: PedometerCursor) { state = Mutex((cursor, 0)) }
    var value: PedometerCursor { state.withLock { $0.cursor } }
    /// How often it has changed by what was read.
    var moves: Int { state.withLock { $0.moves } }

    /// The cursor as it is understood by the present clock.
    func begin(with cursor: PedometerCursor) { state.withLock { $0.cursor = cursor } }

    func move(to new: PedometerCursor) {
        state.withLock { state in
            state = (new, state.moves + (state.cursor.withoutMoments == new.withoutMoments ? 0 : 1))
        }
    }
}
