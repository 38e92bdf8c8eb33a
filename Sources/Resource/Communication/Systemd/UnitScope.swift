/// Which of systemd's managers: the machine's, or that of the user who runs this program.
public enum UnitScope: String, Sendable, Hashable, CaseIterable {
    case user, system
}
