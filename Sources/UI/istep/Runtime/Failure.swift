import ArgumentParser
import BlueZ
import Pedometers
import PrivateBus
import Settings
import StepDatabase
import StepDomain
import Systemd

/// An error as a command ends with it: words, advice, exit code. The one place where errors get their exit codes.
struct Failure {
    let status: ExitStatus
    /// Nil where the words have been told already.
    let message: String?
    let advice: String?

    init(_ error: any Error) {
        switch error {
        case let error as CommandFailure: self.init(error.status, error.message, error.advice)
        case let error as BluetoothError: self.init(Self.status(of: error), error.description, error.advice)
        case let error as PedometerError: self.init(Self.status(of: error), error.description, error.advice)
        case let error as HistoryError: self.init(Self.status(of: error), error.description, nil)
        case let error as SyncLockError: self.init(Self.status(of: error.category), error.description, nil)
        case let error as SettingsError: self.init(ExitStatus(rawValue: error.exitCode) ?? .configuration, error.description, nil)
        case let error as SettingsProblems: self.init(ExitStatus(rawValue: error.exitCode) ?? .configuration, error.description, nil)
        case let error as ShareFailure: self.init(Self.status(of: error), error.reason, error.advice)
        case let error as PrivateBusError: self.init(.unavailable, error.description, nil)
        case let error as SystemdError: self.init(Self.status(of: error), error.description, error.advice)
        case let error as OutputFailure: self.init(.unforeseen, error.description, "Free some space or write elsewhere, then show it again.")
        case let error as SilentExit: self.init(error.status, nil, nil)
        case is CancellationError: self.init(.temporary, "Interrupted.", "What had come in is kept; go on with the same command.")
        default: self.init(.unforeseen, "\(error)", "Please report this.")
        }
    }

    private init(_ status: ExitStatus, _ message: String?, _ advice: String?) {
        self.status = status
        self.message = message
        self.advice = advice
    }

    /// Of several failures the one that most needs somebody to act decides the exit code.
    var severity: Int { status.severity }

    /// What passes by itself is no error to whoever looks after a machine.
    var priority: JournalPriority { status == .temporary ? .warning : .error }

    /// Whether the argument parser made it: a request for help, or words that it does not understand.
    static func isOfParser(_ error: any Error) -> Bool {
        error is CleanExit || error is ValidationError || error is ExitCode
            || String(reflecting: type(of: error)).hasPrefix("ArgumentParser.")
    }

    private static func status(of error: BluetoothError) -> ExitStatus {
        switch error {
        case .noKernelSupport, .noAdapter, .adapterDown, .adapterBlocked, .adapterStuck, .adapterLost, .daemonNotRunning, .daemonSilent,
            .noBus:
            .unavailable
        case .accessDenied: .permission
        case .serviceNotFound, .characteristicNotFound: .unavailable
        case .notPaired, .pairingFailed: .permission
        case .peripheralNotFound, .connectFailed, .linkLost, .timedOut, .busy, .cancelled: .temporary
        case .readFailed, .writeFailed, .notifyFailed, .attError: .data
        case .unexpected: .unforeseen
        }
    }

    private static func status(of error: PedometerError) -> ExitStatus {
        switch error {
        case .noAnswer, .refused: .temporary
        case .undecodable: .data
        case .wrongDevice: .unavailable
        case .unknownModel, .badOption: .usage
        }
    }

    private static func status(of error: SystemdError) -> ExitStatus {
        switch error {
        case .noManager, .notInstalled: .unavailable
        case .refused: .permission
        case .jobFailed, .failed: .unforeseen
        }
    }

    private static func status(of error: ShareFailure) -> ExitStatus {
        switch error.kind {
        case .unreachable, .busy, .unanswered: .temporary
        case .credentials: .permission
        case .rejected: .data
        case .misconfigured: .configuration
        }
    }

    private static func status(of error: HistoryError) -> ExitStatus {
        if case .missing = error { return .unavailable }
        return status(of: error.category)
    }

    private static func status(of category: HistoryError.Category) -> ExitStatus {
        switch category {
        case .usage: .usage
        case .data: .data
        case .temporary: .temporary
        case .permission: .permission
        case .general, .software, .inputOutput: .unforeseen
        }
    }
}

/// Ends the command with a code when its words have been told.
struct SilentExit: Error {
    let status: ExitStatus
    init(_ status: ExitStatus) { self.status = status }
}
