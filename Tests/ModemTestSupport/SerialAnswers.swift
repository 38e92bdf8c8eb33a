/// The answers of a modem whose SIM has no PIN, which is registered in its home network and stores text messages.
enum SerialAnswers {
    /// By command; an empty text means OK alone. The modem does not support other commands.
    static let known: [String: String] = [
        "ATE0": "", "ATV1": "", "ATX4": "", "AT&C1": "", "AT+CMEE=1": "",
        "ATI": "Manufacturer: Fixture\r\nModel: One\r\nRevision: 1", "AT+GCAP": "+GCAP: +CGSM",
        "AT+WS46=?": "+WS46: (12,22)",
        "AT+CGMI": "Fixture", "AT+CGMM": "One", "AT+CGMR": "1", "AT+CGSN": "490154203237518",
        "AT+CIMI": "001010123456789",
        "AT+CGDCONT=?": "+CGDCONT: (1-11),\"IP\",,,(0-2),(0-3)", "AT+CFUN?": "+CFUN: 1",
        "AT+CLCK=?": "+CLCK: (\"SC\",\"FD\",\"PS\")", "AT+CLCK=\"SC\",2": "+CLCK: 0", "AT+CLCK=\"FD\",2": "+CLCK: 0",
        "AT+CLCK=\"PS\",2": "+CLCK: 0", "AT+CPIN?": "+CPIN: READY",
        // The number of the SIM. If there is none, ModemManager asks for it three times, a second apart.
        "AT+CRSM=176,12258,0,0,10": "+CRSM: 144,0,\"98101032547698103214\"",
        "AT+CSCS=?": "+CSCS: (\"IRA\",\"UCS2\",\"GSM\")", "AT+CSCS=\"UCS2\"": "", "AT+CSCS?": "+CSCS: \"UCS2\"",
        "AT+CREG=2": "", "AT+CGREG=2": "", "AT+CREG?": "+CREG: 2,1,\"1234\",\"001122BB\"",
        "AT+CGREG?": "+CGREG: 2,1,\"31C5\",\"0083F7CD\"",
        "AT+CSQ": "+CSQ: 17,99",
        "AT+CMGF=?": "+CMGF: (0,1)", "AT+CMGF=0": "", "AT+CMGL=4": "",
        "AT+CNMI=?": "+CNMI: (0-2),(0-3),(0-3),(0-2),(0,1)", "AT+CNMI=2,1,2,1,0": "",
        "AT+CPMS=?": "+CPMS: (\"ME\",\"SM\"),(\"ME\",\"SM\"),(\"ME\",\"SM\")",
        "AT+CPMS?": "+CPMS: \"ME\",0,20,\"ME\",0,20,\"ME\",0,20",
        "AT+CPMS=\"ME\",\"ME\",\"ME\"": "+CPMS: 0,20,0,20,0,20", "AT+CPMS=\"ME\"": "+CPMS: 0,20,0,20,0,20",
        "AT+CPMS=\"SM\"": "+CPMS: 0,20,0,20,0,20",
    ]
}
