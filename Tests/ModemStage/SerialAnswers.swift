/// What a modem with a SIM without a PIN answers that is registered at home and keeps text messages.
enum SerialAnswers {
    /// By command; an empty text stands for OK alone. What is not here, the modem does not know.
    static let known: [String: String] = [
        "AT": "", "ATE0": "", "ATV1": "", "ATX4": "", "AT&C1": "", "AT+CMEE=1": "", "AT+IFC=1,1": "",
        "ATI": "Manufacturer: Stage\r\nModel: One\r\nRevision: 1",
        "AT+GCAP": "+GCAP: +CGSM", "AT+WS46=?": "+WS46: (12,22)",
        "AT+CGMI": "Stage", "AT+CGMM": "One", "AT+CGMR": "1", "AT+CGSN": "490154203237518", "AT+CIMI": "001010123456789",
        "AT+CGDCONT=?": "+CGDCONT: (1-11),\"IP\",,,(0-2),(0-3)",
        "AT+CLCK=?": "+CLCK: (\"SC\",\"FD\",\"PS\")", "AT+CLCK=\"SC\",2": "+CLCK: 0", "AT+CLCK=\"FD\",2": "+CLCK: 0",
        "AT+CLCK=\"PS\",2": "+CLCK: 0", "AT+CPIN?": "+CPIN: READY",
        "AT+CFUN?": "+CFUN: 1", "AT+CFUN=1": "",
        "AT+CSCS=?": "+CSCS: (\"IRA\",\"UCS2\",\"GSM\")", "AT+CSCS=\"UCS2\"": "", "AT+CSCS?": "+CSCS: \"UCS2\"",
        "AT+CREG=2": "", "AT+CGREG=2": "", "AT+CREG=0": "", "AT+CGREG=0": "",
        "AT+CREG?": "+CREG: 2,1,\"1234\",\"001122BB\"", "AT+CGREG?": "+CGREG: 2,1,\"31C5\",\"0083F7CD\"",
        "AT+COPS=3,2;+COPS?": "+COPS: 0,2,\"00101\",2", "AT+COPS=3,0;+COPS?": "+COPS: 0,0,\"Stage\"",
        "AT+CSQ": "+CSQ: 17,99",
        "AT+CMGF=?": "+CMGF: (0,1)", "AT+CMGF=0": "", "AT+CMGL=4": "",
        "AT+CNMI=?": "+CNMI: (0-2),(0-3),(0-3),(0-2),(0,1)", "AT+CNMI=2,1,2,1,0": "", "AT+CNMI=2,1,2,0,0": "",
        "AT+CPMS=?": "+CPMS: (\"ME\",\"SM\"),(\"ME\",\"SM\"),(\"ME\",\"SM\")", "AT+CPMS?": "+CPMS: \"ME\",0,20,\"ME\",0,20,\"ME\",0,20",
        "AT+CPMS=\"ME\",\"ME\",\"ME\"": "+CPMS: 0,20,0,20,0,20", "AT+CPMS=\"ME\",\"ME\"": "+CPMS: 0,20,0,20,0,20",
        "AT+CPMS=\"ME\"": "+CPMS: 0,20,0,20,0,20", "AT+CPMS=\"SM\",\"ME\",\"ME\"": "+CPMS: 0,20,0,20,0,20",
        "AT+CPMS=\"SM\"": "+CPMS: 0,20,0,20,0,20",
    ]
}
