internal import DBus
internal import Synchronization

/// A fake `org.freedesktop.PolicyKit1`, which allows or refuses every request. Without polkit ModemManager refuses
/// everything.
final class Polkit: DBusObject {
    private let allows = Mutex(true)

    static let path: ObjectPath = "/org/freedesktop/PolicyKit1/Authority"

    func allow(_ isAllowed: Bool) { allows.withLock { $0 = isAllowed } }

    func receive(_ call: DBusMethodCall) async {
        switch (call.message.interface, call.message.member) {
        case ("org.freedesktop.PolicyKit1.Authority", "CheckAuthorization"):
            let isAllowed = allows.withLock { $0 }
            await call.reply([
                .structure([.boolean(isAllowed), .boolean(false), .dictionary(key: "s", value: "s", [:])])
            ])
        case ("org.freedesktop.DBus.Properties", "GetAll"):
            await call.reply([
                .properties([
                    "BackendName": .string("fixture"), "BackendVersion": .string("1"), "BackendFeatures": .uint32(0),
                ])
            ])
        default: await call.fail("org.freedesktop.DBus.Error.UnknownMethod", "not played here")
        }
    }
}
