import Foundation

/// The clocks of the machine that run while it is off.
public enum RealTimeClock {
    /// Whether the machine has one. A Raspberry Pi 5 without a battery has one that begins at 1970 with each start.
    ///
    /// - Parameters:
    ///   - folder: where the kernel shows them (Documentation/ABI/testing/sysfs-class-rtc). Where it does not, as in a
    ///     container, there is one.
    ///   - earliest: seconds since 1970: a clock that shows an earlier time has no battery.
    public static func exists(in folder: String = "/sys/class/rtc", since earliest: Int) -> Bool {
        guard let clocks = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return true }
        return clocks.contains { clock in
            let text = try? String(contentsOfFile: "\(folder)/\(clock)/since_epoch", encoding: .utf8)
            let seconds = text.flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
            return seconds.map { $0 >= earliest } ?? true
        }
    }
}
