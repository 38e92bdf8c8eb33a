public import BlueZ
public import StepDomain

// BlueZ's module has no access to the domain; the conformance is added here.

extension BluetoothError: ReportableError {
    public var category: FailureCategory {
        switch self {
        case .noKernelSupport, .noAdapter, .adapterDown, .adapterBlocked, .adapterStuck, .adapterLost,
            .daemonNotRunning, .daemonSilent,
            .noBus:
            .unavailable
        case .serviceNotFound, .characteristicNotFound: .unavailable
        case .accessDenied, .notPaired, .pairingFailed: .permission
        case .peripheralNotFound, .connectFailed, .linkLost, .timedOut, .busy, .cancelled: .temporary
        case .readFailed, .writeFailed, .notifyFailed, .attError: .data
        case .unexpected: .unforeseen
        }
    }

    /// The cause; `outOfRange` if it was not heard.
    public var cause: FailureCause {
        switch self {
        case .peripheralNotFound: .outOfRange
        case .noKernelSupport, .noAdapter, .adapterDown, .adapterBlocked, .adapterStuck, .adapterLost,
            .daemonNotRunning, .daemonSilent,
            .noBus, .accessDenied:
            .machine
        case .cancelled: .interrupted
        case .connectFailed, .serviceNotFound, .characteristicNotFound, .readFailed, .writeFailed, .notifyFailed,
            .attError, .notPaired,
            .pairingFailed, .linkLost, .timedOut, .busy, .unexpected:
            .other
        }
    }
}
