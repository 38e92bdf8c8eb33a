public import StepDomain

/// The services, characteristics and values of a device.
public struct GATTTableView: View {
    let address: String
    let services: [GATTServiceContent]

    public init(address: String, services: [GATTServiceContent]) {
        self.address = address
        self.services = services
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        if services.isEmpty { page.paragraph("The device has no services.") }
        for service in services {
            page.wrap(
                StyledText("service \(Self.short(service.uuid))", .strong)
                    + StyledText(Self.title(service.uuid), .faint), hanging: 2)
            for characteristic in service.characteristics {
                page.wrap(
                    StyledText("  \(Self.short(characteristic.uuid))  ", .strong)
                        + StyledText(
                            characteristic.flags.joined(separator: ", ") + Self.title(characteristic.uuid), .faint),
                    hanging: 4)
                switch characteristic.value {
                case .notRead: break
                case .bytes(let bytes):
                    page.paragraph(Self.words(bytes), indent: 4, hanging: 4)
                case .refused(let reason):
                    page.paragraph("not read: \(Printable(reason, limit: 200))", emphasis: .doubtful, indent: 4)
                }
            }
        }
        return page.lines
    }

    /// `01 ff`, and the text if it is one.
    static func words(_ bytes: [UInt8]) -> String {
        guard !bytes.isEmpty else { return "(empty)" }
        let isText = bytes.count > 1 && bytes.allSatisfy { (0x20..<0x7f).contains($0) }
        return ValueNotation.hexadecimal(bytes) + (isText ? " \"\(String(decoding: bytes, as: UTF8.self))\"" : "")
    }

    /// UUIDs of the Bluetooth SIG are written with four digits.
    static func short(_ uuid: String) -> String {
        uuid.hasPrefix("0000") && uuid.hasSuffix("-0000-1000-8000-00805f9b34fb")
            ? String(uuid.dropFirst(4).prefix(4)) : uuid
    }

    /// Names of the Bluetooth SIG's Assigned Numbers (3.4 and 3.8) that pedometers have.
    private static func title(_ uuid: String) -> String {
        let titles = [
            "1800": "Generic Access", "1801": "Generic Attribute", "1805": "Current Time Service",
            "180a": "Device Information",
            "180d": "Heart Rate", "180f": "Battery", "1814": "Running Speed and Cadence",
            "183e": "Physical Activity Monitor",
            "2a00": "Device Name", "2a01": "Appearance", "2a05": "Service Changed", "2a19": "Battery Level",
            "2a24": "Model Number",
            "2a25": "Serial Number", "2a26": "Firmware Revision", "2a27": "Hardware Revision",
            "2a28": "Software Revision",
            "2a29": "Manufacturer Name", "2a2b": "Current Time", "2a37": "Heart Rate Measurement",
            "2a53": "RSC Measurement",
        ]
        return titles[short(uuid)].map { "  \($0)" } ?? ""
    }
}

/// `istep gatt list --json`.
extension GATTTableView: Described {
    public static let keys: [JSONKey<GATTTableView>] = [
        .version,
        .init("address", .text, "The device's Bluetooth address.") { $0.address },
        .list("services", "In the order of the device's table.") { $0.services },
    ]
}

extension GATTServiceContent: Described {
    public static let keys: [JSONKey<Self>] = [
        .init("uuid", .text, "Its UUID in full.") { $0.uuid },
        .init("handle", .integer, "Attribute handle of its declaration.") { $0.handle },
        .list("characteristics", "In the order of the device's table.") { $0.characteristics },
    ]
}

extension GATTCharacteristicContent: Described {
    public static let keys: [JSONKey<Self>] = [
        .init("uuid", .text, "Its UUID in full.") { $0.uuid },
        .init("handle", .integer, "Attribute handle of its declaration.") { $0.handle },
        .init("flags", .list(.text), "What it supports, in BlueZ's words.") { $0.flags },
        .init("descriptors", .list(.text), "UUIDs of its descriptors.") { $0.descriptors },
        .init("value", .nullable(.text), "Bytes in hexadecimal digits; null where it was not read.") {
            content -> String? in
            if case .bytes(let bytes) = content.value { ValueNotation.hexadecimal(bytes) } else { nil }
        },
        .init("failure", .nullable(.text), "Why it could not be read.") { content -> String? in
            if case .refused(let reason) = content.value { reason } else { nil }
        },
    ]
}

/// A value of a device: read, written or sent by it.
public struct GATTValueView: View {
    let bytes: [UInt8]
    let text: String

    /// - Parameter notation: how people see it. A value that is too short for it is shown in hexadecimal digits.
    public init(_ bytes: [UInt8], as notation: ValueNotation) {
        self.bytes = bytes
        text = notation.text(of: bytes) ?? ValueNotation.hexadecimal(bytes) + "  (too short for this format)"
    }

    /// Whole, in whatever notation.
    public func lines(_ style: TextStyle) -> [String] {
        [Printable(text, limit: 8 * ValueNotation.longest).description]
    }

    /// `istep gatt read --json`.
    public static let keys: [JSONKey<GATTValueView>] = [
        .version,
        .init("value", .text, "Bytes in hexadecimal digits.") { ValueNotation.hexadecimal($0.bytes) },
        .init("text", .text, "The value in the requested format.") { $0.text },
    ]
}

/// A file with the frames of a sync.
public struct CaptureView: View {
    let path: String
    let frames: Int
    let isComplete: Bool

    public init(path: String, frames: Int, isComplete: Bool) {
        self.path = path
        self.frames = frames
        self.isComplete = isComplete
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        page.path("\(Words.count(frames, "frame")) in", path)
        if !isComplete {
            page.paragraph("The sync failed. The file has the frames up to the failure.", emphasis: .doubtful)
        }
        page.paragraph(
            "The pedometer's address and name are masked. Its steps and their times are in the file.", emphasis: .faint)
        return page.lines
    }

    /// `istep gatt capture --json`.
    public static let keys: [JSONKey<CaptureView>] = [
        .version,
        .init("path", .text, "The file.") { $0.path },
        .init("frames", .integer, "Number of frames in it.") { $0.frames },
        .init("complete", .boolean, "The sync was completed.") { $0.isComplete },
    ]
}

extension JSONDocument {
    public static let gatt = JSONDocument(
        "gatt", "Services and values of a device.",
        GATTTableView.self)
    public static let value = JSONDocument(
        "value", "A value of a device; with gatt notify one such document for each value.",
        GATTValueView.self)
    public static let capture = JSONDocument(
        "capture", "The file with the raw frames of a sync.",
        CaptureView.self)
}
