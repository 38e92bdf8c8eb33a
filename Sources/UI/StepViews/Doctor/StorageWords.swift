import StepDomain
import Support

extension StorageDiagnosis {
    var text: DiagnosisText {
        switch self {
        case .permitted: DiagnosisText("readable only by you")
        case .fileOfAnother(let path, let owner, let user, _):
            DiagnosisText("\(path) belongs to another user (\(owner))", fix: "\(command: "sudo chown \(user)", path)")
        case .notWritable(let path, let directory):
            Self.notWritable(path, directory, fix: "chmod u+w")
        case .companionOfAnother(let path, let owner, let history, let isHarmless):
            DiagnosisText(
                "\(path) belongs to another user (\(owner))\(isHarmless ? "" : ", and the history's owner has no access to it")",
                fix: "\(command: "sudo chown", "--reference=\(history)", path)")
        case .companionNotWritable(let path, let directory):
            Self.notWritable(path, directory, fix: "chmod u+rw")
        case .fileOpen(let path, let mode):
            DiagnosisText(
                "other users of this machine have access to \(path) (mode \(Self.octal(mode)))",
                fix: "\(command: "chmod 600", path)")
        case .directoryOpen(let path, let mode):
            DiagnosisText(
                "other users of this machine can replace files in \(path) (mode \(Self.octal(mode)))",
                fix: "\(command: "chmod 700", path)")
        case .logLarge(let bytes, let history):
            DiagnosisText(
                "the write-ahead log has grown to \(Words.size(bytes)): a program keeps reading the history",
                fix: "See which one: \(command: "fuser -v", history)")
        case .freeUnknown: DiagnosisText("the free space is not known")
        case .free(let bytes, let directory, let space):
            DiagnosisText("\(Words.size(bytes)) left for \(directory)", fix: Self.fix(for: space))
        }
    }

    private static func notWritable(_ path: String, _ directory: String, fix line: String) -> DiagnosisText {
        DiagnosisText(
            "\(path) is not writable",
            fix:
                "Make it writable: \(command: line, path). If that fails, see whether the disk is mounted read-only: \(command: "findmnt -T", directory)"
        )
    }

    private static func fix(for space: Space) -> Advice? {
        switch space {
        case .enough: nil
        case .little: "Free some space before it is needed."
        case .tooLittle: "Free some space. Nothing is lost: the next sync continues where the last one stopped."
        }
    }

    private static func octal(_ mode: UInt32) -> String { (mode & 0o7777).digits(radix: 8, width: 4) }
}
