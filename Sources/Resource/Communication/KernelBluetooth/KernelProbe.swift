public import BlueZ
internal import CBluetooth
internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

extension MachineProbe {
    /// This machine: `libbluetooth` for the adapters, `/sys/class/rfkill` for the switches. Needs no privileges.
    public static let live = MachineProbe {
        MachineState(
            hasKernelSupport: hasKernelSupport(),
            radios: radios(),
            switches: switches(in: "/sys/class/rfkill"))
    }

    /// A container or a hardened service gets no socket even if the machine has Bluetooth: in that case sysfs shows it.
    private static func hasKernelSupport() -> Bool {
        let socket = socket(AF_BLUETOOTH, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), BTPROTO_HCI)
        if socket >= 0 {
            close(socket)
            return true
        }
        return access("/sys/class/bluetooth", F_OK) == 0
    }

    private static func radios() -> [MachineState.Radio] {
        (0..<HCI_MAX_DEV).compactMap { index -> MachineState.Radio? in
            var info = hci_dev_info()
            guard hci_devinfo(index, &info) == 0 else { return nil }
            let isUp = info.flags & (1 << UInt32(HCI_UP)) != 0
            return MachineState.Radio(name: "hci\(index)", address: address(info.bdaddr), isUp: isUp)
        }
    }

    private static func address(_ address: bdaddr_t) -> DeviceAddress? {
        var address = address
        var text = [CChar](repeating: 0, count: 18)
        ba2str(&address, &text)
        return DeviceAddress(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }

    /// Reads a directory laid out like `/sys/class/rfkill` (kernel: Documentation/ABI/stable/sysfs-class-rfkill).
    static func switches(in directory: String) -> [MachineState.Switch] {
        func text(_ entry: String, _ attribute: String) -> String? {
            guard let data = FileManager.default.contents(atPath: "\(directory)/\(entry)/\(attribute)") else {
                return nil
            }
            return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return entries.sorted().compactMap { entry in
            guard text(entry, "type") == "bluetooth" else { return nil }
            return MachineState.Switch(
                name: text(entry, "name") ?? entry,
                isSoftBlocked: text(entry, "soft") == "1", isHardBlocked: text(entry, "hard") == "1")
        }
    }
}
