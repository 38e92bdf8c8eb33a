import Foundation
import Quoting

/// Why a sync or a sharing may not start.
public enum SyncLockError: Error, Hashable, Sendable {
    /// Another of the same history runs; its process, where it can be told.
    case held(SyncLock.Work, byProcess: Int32?)
    /// The lock's file could not be opened.
    case readOnly(path: String, reason: String)
    case failed(path: String, reason: String)

    init(errno code: Int32, path: String) {
        let reason = String(cString: strerror(code))
        switch code {
        case EACCES, EPERM, EROFS: self = .readOnly(path: path, reason: reason)
        default: self = .failed(path: path, reason: reason)
        }
    }

    public var category: HistoryError.Category {
        switch self {
        case .held: .temporary
        case .readOnly: .permission
        case .failed: .inputOutput
        }
    }
}

extension SyncLockError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .held(let work, let process):
            "another \(work.rawValue) of this history is running\(process.map { " (process \($0))" } ?? ""); wait until it is done"
        case .readOnly(let path, let reason):
            "no permission for the lock \(quoted(path)): \(reason); make the file and its directory yours and writable "
                + "(`ls -l \(shellQuoted(path))` tells whose it is, `sudo chown` makes it yours)"
        case .failed(let path, let reason):
            "cannot lock \(quoted(path)): \(reason)"
        }
    }
}
