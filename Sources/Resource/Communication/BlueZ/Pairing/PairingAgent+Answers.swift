internal import DBus

extension PairingAgent {
    /// Puts one method of `Agent1` to the delegate (`doc/org.bluez.Agent.rst`).
    static func answer(
        _ call: DBusMethodCall, _ member: String, _ arguments: [DBusValue], _ address: DeviceAddress,
        _ delegate: any PairingDelegate
    ) async {
        let number = arguments.first?.intValue.flatMap { UInt32(exactly: $0) }
        switch member {
        case "RequestAuthorization":
            await reply(call, await delegate.authorize(address) ? [] : nil)
        case "RequestConfirmation":
            guard let number else { return await refuse(call) }
            await reply(call, await delegate.confirm(passkey: number, of: address) ? [] : nil)
        case "RequestPasskey":
            await reply(call, await delegate.passkey(of: address).flatMap { $0 <= 999_999 ? [.uint32($0)] : nil })
        case "RequestPinCode":
            let pin = await delegate.pinCode(of: address)
            await reply(call, pin.flatMap { (1...16).contains($0.utf8.count) ? [.string($0)] : nil })
        case "DisplayPasskey":
            guard let number else { return await refuse(call) }
            await delegate.display(passkey: number, entered: arguments.dropFirst().first?.intValue ?? 0, for: address)
            await call.reply()
        case "DisplayPinCode":
            guard let pin = arguments.first?.stringValue else { return await refuse(call) }
            await delegate.display(pinCode: pin, for: address)
            await call.reply()
        case "AuthorizeService":
            // Of services that the peripheral wants to use here: there are none.
            await refuse(call)
        default:
            await call.fail("org.freedesktop.DBus.Error.UnknownMethod", "no such method")
        }
    }

    private static func reply(_ call: DBusMethodCall, _ values: [DBusValue]?) async {
        guard let values, !Task.isCancelled else { return await refuse(call) }
        await call.reply(values)
    }

    private static func refuse(_ call: DBusMethodCall) async {
        await call.fail("org.bluez.Error.Rejected", "refused")
    }
}
