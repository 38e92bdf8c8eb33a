import CIdle
import StepDomain

/// This process may use too few threads or files, or too little memory.
struct ResourceShortage: ReportableError {
    enum Resource { case threads, files, memory }

    let resource: Resource
    /// The user's processes and threads, descriptors, or bytes; nil if it is a limit of the system or of a control
    /// group.
    let limit: Int?

    /// What is short; nil if a command can run. To be called before a task is started.
    static var found: ResourceShortage? {
        let found = find_resource_shortage()
        let limit = found.limit == 0 ? nil : Int(clamping: found.limit)
        return switch found.resource {
        case RESOURCE_THREADS: ResourceShortage(resource: .threads, limit: limit)
        case RESOURCE_FILES: ResourceShortage(resource: .files, limit: limit)
        case RESOURCE_MEMORY: ResourceShortage(resource: .memory, limit: limit)
        default: nil
        }
    }

    var category: FailureCategory { .resources }

    var description: String {
        switch (resource, limit) {
        case (.threads, let limit?):
            "The threads that istep needs cannot be started: the limit is \(limit) processes and threads of this user."
        case (.threads, nil):
            "The threads that istep needs cannot be started: the system, or the service that started istep, limits them."
        case (.files, let limit): "This program cannot open enough files: the limit is \(limit ?? 0) open files."
        case (.memory, let limit):
            "This program cannot get enough memory: the limit is \((limit ?? 0) >> 10) KiB of address space."
        }
    }

    var advice: String? {
        switch (resource, limit) {
        case (.threads, _?): "End other programs of this user, or raise the limit: `ulimit -u`"
        case (.threads, nil):
            "Raise TasksMax of the service or pids.max of the control group, then run the command again."
        case (.files, _): "To raise the limit: `ulimit -n 256`"
        case (.memory, _): "To raise the limit: `ulimit -v 1000000`"
        }
    }
}
