internal import DBus
internal import ModemManager
internal import Settings
internal import StepDomain

/// A text message through a modem of this machine, by ModemManager.
///
/// A sent message cannot be changed or taken back, so a day is sent once, when it is over.
struct SMSDestination: ConfiguredDestination {
    let context: DestinationContext
    /// The number as the user wrote it; it was checked.
    let number: String
    let template: PostTemplate
    let units: UnitSystem
    /// The modem; nil for the only one.
    let modem: String?

    var location: String { number }

    /// ModemManager keeps sent messages until it ends, so that it can confirm that a message was sent, but never that
    /// none was. Without a date in the text, a message of another day can have the same text.
    var traits: ShareTraits {
        ShareTraits(
            resending: .repeats, corrects: false, canFind: template.hasDate, acceptsUnfinishedDays: false,
            isPersonal: true)
    }

    private func text(_ payload: SharePayload) -> String { template.text { $0.value(payload.day, units) } }

    func preview(_ payloads: [SharePayload]) -> String {
        payloads.map { payload in
            let text = text(payload)
            let parts = MessageSize(of: text).parts
            return "To: \(number)\(parts > 1 ? " (\(parts) messages)" : "")\n\n\(text)"
        }.joined(separator: "\n\n")
    }

    func deliver(_ payloads: [SharePayload]) async throws(ShareFailure) -> [ShareReceipt] {
        try await withMessages { messages throws(TextMessageError) in
            var receipts: [ShareReceipt] = []
            for payload in payloads {
                let text = text(payload)
                // Where a day is sent once more (`--again`), `find` must not take the earlier message for this one.
                if template.hasDate { try await messages.forget(text, to: number) }
                receipts.append(ShareReceipt(remoteID: try await messages.send(text, to: number)))
            }
            return receipts
        }
    }

    func find(_ payload: SharePayload) async throws(ShareFailure) -> ShareFinding {
        guard template.hasDate else { return .unclear }
        return try await withMessages { messages throws(TextMessageError) in
            // A message that is absent may have been sent: ModemManager's list is lost when it ends.
            guard case .sent(let path) = try await messages.find(text(payload), to: number) else { return .unclear }
            return .arrived(ShareReceipt(remoteID: path))
        }
    }

    func check() async throws(ShareFailure) -> String {
        try await withMessages { messages throws(TextMessageError) in try await messages.modem().title }
    }

    private func withMessages<R: Sendable>(
        _ body: (TextMessageSender) async throws(TextMessageError) -> R
    ) async throws(ShareFailure) -> R {
        do throws(TextMessageError) {
            let messages = try await TextMessageSender.open(context.environment.systemBus, modem: modem)
            return try await messages.closing(after: body)
        } catch {
            throw ShareFailure(error)
        }
    }
}

extension ShareFailure {
    fileprivate init(_ error: TextMessageError) {
        let kind: Kind =
            switch error {
            case _ where error.mayHaveBeenSent: .unanswered
            case .accessDenied: .credentials
            case .badText, .textTooLong, .refused: .rejected
            case .badNumber, .severalModems, .noMessaging: .misconfigured
            default: .unreachable
            }
        self.init(kind, error.description, advice: error.advice)
    }
}

extension DestinationKind {
    static let sms = DestinationKind(
        key: "sms", title: "a text message through a modem of this machine (ModemManager)",
        specificExample: """
            [share.grandma]
            kind = "sms"
            users = ["Anna"]
            number = "+491701234567"

            # The text, with {date} {weekday} {steps} {distance} {calories} {percentage} {goal} and {bars}. A line is left out if
            # one of its values is not known. A text of more than 160 characters is sent as two or three messages (more than
            # 70 if one of them is not in the GSM alphabet, such as those of {bars}). istep needs {date} to find the message again
            # after an answer was lost.
            # text = "Anna, {date}: {steps} steps\\n{distance}\\n{percentage} of the goal"
            # units = "metric"                     # or "imperial"
            # modem = "0"                          # if there are several: the number in `mmcli -L`, or the IMEI
            """
    ) { reader, context in
        let number = reader.value("number", "a telephone number such as +491701234567") {
            try? PhoneNumber($0).description
        }
        reader.require("number", "a telephone number such as +491701234567")
        let template = reader.template(standard: "{date}: {steps} steps\n{distance}\n{percentage} of the goal")
        let units = reader.choice("units", of: UnitSystem.self) ?? .metric
        let modem = reader.text("modem", "the number, path or IMEI of a modem")
        guard let number, let template else { return nil }
        return SMSDestination(
            context: context, number: number, template: template, units: units, modem: modem)
    }
}
