/// The keys that several documents have.
extension JSONSchema.Key {
    // What documents about days share.
    static let owner = Self("user", .text, "Whose day it is.")
    static let walkingSteps = Self("walkingSteps", .nullable(.integer), "Steps that were walked, by cadence.")
    static let runningSteps = Self("runningSteps", .nullable(.integer), "Steps that were run.")
    static let running = Self("running", .boolean, "The day is not over. (Steps that were run are runningSteps.)")

    // What documents about pedometers share.
    static let chosenName = Self("name", .text, "The name that the user chose.")
    static let address = Self("address", .text, "Its Bluetooth address.")
    static let addressType = Self("addressType", .choice(["public", "random"]), "Type of the Bluetooth address.")
    static let model = Self("model", .text, "Key of the model, such as colmi.")
    static let modelTitle = Self("modelTitle", .text, "The model in words.")
    static let caveat = Self(
        "caveat", .nullable(.text), "What is unconfirmed about reading this model; null if nothing is.")
    static let battery = Self("battery", .nullable(.integer), "Per cent, as it last reported.")

    // What documents about destinations, and other tables of the configuration, share.
    static let configuredName = Self("name", .text, "Its name in the configuration.")
    static let destination = Self("destination", .text, configuredName.description)
    static let destinationKind = Self("kind", .text, "Key of its kind, such as rest.")
    static let nextAttempt = Self("nextAttempt", .nullable(.time), "Nothing is sent before this time.")
    static let stopped = Self("stopped", .nullable(.text), "Why nothing is sent until the user acts.")

    // What documents about failures share.
    static let failure = Self("message", .text, "What failed.")
    static let advice = Self("advice", .nullable(.text), "What to do.")

    // What documents about changes and files share.
    static let backup = Self("backup", .nullable(.text), "The backup that was made before.")
    static let isStored = Self("isDone", .boolean, "Whether it was stored.")
    static let path = Self("path", .text, "Of the file or folder.")

    /// What every document begins with.
    static let version = Self(
        "version", .constant(1),
        "Version of this document's form. It changes if a key is renamed or removed, or changes its meaning.")
}
