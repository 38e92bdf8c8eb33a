public import StepDomain
public import StepServices

/// What is being done, in a line.
public enum ProgressWords {
    public static func line(_ step: SyncService.Step, _ localTime: LocalTime) -> String {
        switch step {
        case .reading(let pedometer, let progress): SyncView.words(for: progress, of: pedometer)
        case .sharing(let step): line(step, localTime)
        }
    }

    public static func line(_ step: ShareService.Step, _ localTime: LocalTime) -> String {
        switch step {
        case .delivering(let progress): ShareView.words(for: progress)
        case .waiting(let moment): "Waiting until \(Words.clock(moment, localTime))"
        }
    }
}

/// The status line of a watch: which pedometers it waits for, and the steps of those that are connected.
public enum WatchWords {
    /// `ring: 8,123 steps today, 81 % of 10,000`, several separated by a bar.
    public static func live(_ figures: [LiveFigures.Figure]) -> String {
        figures.map { figure in
            let name = Printable(figure.name, limit: 32)
            guard let steps = figure.steps else { return "\(name): connected" }
            let percentage = SportPlan.percentage(steps: steps, goal: figure.goal)
            let share = percentage.map { ", \(Words.percent($0)) of \(Words.grouped(figure.goal ?? 0))" } ?? ""
            return "\(name): \(Words.count(steps, "step")) today\(share)"
        }.joined(separator: " | ")
    }

    /// What a watch is doing, in one line.
    public static func text(for status: WatchStatus, localTime: LocalTime) -> String {
        switch status {
        case .reading(let name): "\(Printable(name, limit: 32)): reading"
        case .searching(let names): "Looking for " + list(names)
        case .idle(let next): "All pedometers read; next at \(time(next, localTime))"
        case .noPedometer: Advice.firstPedometer("No pedometer to watch.").description
        }
    }

    /// What it says when it begins.
    public static func started(_ pedometers: [String]) -> String {
        "Watching for \(list(pedometers)). Press Ctrl-C to end."
    }

    private static func list(_ names: [String]) -> String {
        names.map { Printable($0, limit: 32).description }.joined(separator: ", ")
    }

    /// `14:05`, as local clocks show it.
    public static func time(_ moment: Timestamp, _ localTime: LocalTime) -> String {
        String(Words.clock(moment, localTime).suffix(5))
    }
}

/// What `istep watch --live --json` prints when steps have been made: all pedometers that are connected.
public struct LiveDocument: JSONDocument {
    public struct Pedometer: Codable, Sendable {
        public var name: String
        /// Today's steps; null before it has reported any.
        @Nullable public var steps: Int?
        /// Null on a rest day and without a plan.
        @Nullable public var goal: Int?
        @Nullable public var percentage: Double?

        static let schema = JSONSchema.object([
            .init("name", .text, "The name that the user chose."),
            .init("steps", .nullable(.integer), "Of today; null before it has reported any."),
            .init("goal", .nullable(.integer), "Steps; null on a rest day and without a plan."),
            .init("percentage", .nullable(.number), "Of the goal."),
        ])
    }

    public var version = 1
    /// ISO 8601 with offset.
    public var time: String
    public var live: [Pedometer]

    public init(_ figures: [LiveFigures.Figure], now: Timestamp, localTime: LocalTime) {
        time = Words.iso(now, localTime)
        live = figures.map { figure in
            let percentage = SportPlan.percentage(steps: figure.steps, goal: figure.goal)
            return Pedometer(
                name: figure.name, steps: figure.steps, goal: figure.goal,
                percentage: percentage.map { ($0 * 100).rounded() / 100 })
        }
    }

    /// The document as one line of JSON, without a line end.
    public func json() throws -> String { try JSONText.line(self) }

    public static let schema = JSONSchema.object([
        .version, .init("time", .time, "When it changed."),
        .init("live", .list(Pedometer.schema), "The pedometers that are connected."),
    ])
}

/// The words of what the log of an unattended run says besides its result.
public enum RunMessageWords {
    /// An error in words for people.
    public typealias ErrorWords = @Sendable (any Error) -> (problem: String?, advice: String?)

    /// One or more lines without control characters; none where the error has no words.
    ///
    /// - Parameter isHousehold: whether the history has several users, who must be distinguished.
    public static func lines(
        for message: RunMessage, isHousehold: Bool, now: Timestamp, localTime: LocalTime, error: ErrorWords
    ) -> [String] {
        switch message.content {
        case .pedometerFailed(let report, let isFault):
            lines(
                report.pedometer.name, report.failureText ?? "failed",
                isFault ? report.failure.flatMap { error($0).advice } : nil)
        case .rejected(let name, let day, let reason): lines(name, "\(day) \(Words.rejection(reason)): \(reason)")
        case .doubtful(let name, let day, let reason): lines(name, "\(day) may have arrived: \(reason)")
        case .paused(let name, let reason): lines(name, "\(Words.paused): \(reason)")
        case .sharingFaulty(let name, let fault):
            lines(
                name,
                Words.sentences(error(fault).problem ?? "failed", error(fault).advice))
        case .sharingFailed(let name, let failure): lines(name, failure.reason, failure.advice)
        case .failed(let failure):
            error(failure).problem.map {
                [Printable.lines("istep: \($0)")]
                    + (error(failure).advice.map { [Printable.lines("       \($0)")] } ?? [])
            } ?? []
        case .notice(let notice):
            [NoticeWords(notice, isHousehold: isHousehold, now: now, localTime: localTime).headline]
        }
    }

    private static func lines(_ name: String, _ texts: String?...) -> [String] {
        texts.compactMap(\.self).map { Printable.lines("\(name): \($0)") }
    }
}
