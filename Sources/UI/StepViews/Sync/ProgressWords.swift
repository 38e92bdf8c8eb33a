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
