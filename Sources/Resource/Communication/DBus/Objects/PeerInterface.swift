internal import CDBus

/// `org.freedesktop.DBus.Peer`, which every connection answers on every path (D-Bus specification, "Standard Interfaces").
enum PeerInterface {
    static let name = "org.freedesktop.DBus.Peer"

    struct Refusal: Error {
        let name: String
        let text: String
    }

    static func answer(_ member: String?) -> Result<[DBusValue], Refusal> {
        switch member {
        case "Ping":
            return .success([])
        case "GetMachineId":
            guard let identifier = dbus_try_get_local_machine_id(nil) else {
                return .failure(Refusal(name: StandardError.failed, text: "this machine has no id"))
            }
            defer { dbus_free(identifier) }
            return .success([.string(String(cString: identifier))])
        default:
            return .failure(Refusal(name: StandardError.unknownMethod, text: "\(name) has no method '\(member ?? "")'"))
        }
    }
}
