import Settings
import StepDomain

extension Check {
    /// The files of the configuration: all that is wrong with them, and who may change them.
    static func configuration(_ context: CheckupContext) -> Check {
        let subject = "configuration"
        return Check("configuration", .configuration, subject) {
            let check = context.configuration
            var remarks = (check.problems + context.destinationErrors).map {
                Remark(.fault(.configuration), subject, $0.description, cure: "istep config check tells when all of it holds")
            }
            // Whoever can write it can have the steps sent anywhere.
            for entry in try await blocking({ check.files.compactMap(StorageFacts.Entry.init) }) where entry.mode & 0o022 != 0 {
                remarks.append(Remark(
                    .warning, subject, "others on this machine can change \(entry.path)", cure: "chmod go-w '\(entry.path)'"))
            }
            if remarks.isEmpty {
                let files = check.files.joined(separator: ", ")
                remarks.append(Remark(.fine, subject, files.isEmpty ? "no file, and none is needed" : files))
            }
            return remarks
        }
    }
}
