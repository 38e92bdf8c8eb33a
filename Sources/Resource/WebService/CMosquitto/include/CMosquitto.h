#pragma once

// libmosquitto, loaded when it is first needed: most runs of the program do not need it, and would load it and OpenSSL if it were linked.

#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <stdbool.h>
#include <stdint.h>

/// Loads the library, such as "libmosquitto.so.1". To be called once, and with success before anything else here.
/// Returns NULL, or why it cannot be loaded.
const char *cmosquitto_load(const char *name);

/// Called from within `cmosquitto_read`, `_write`, `_misc` and `_connect`; they must not call back.
struct cmosquitto_callbacks {
    /// `code` is that of MQTT 5 or 3.1.1. `retains` is false if the broker keeps no retained messages.
    void (*connected)(void *context, int code, bool retains);
    /// `code` is that of MQTT 5; 0 with 3.1.1, which has none.
    void (*acknowledged)(void *context, int identifier, int code);
    /// The broker ended the connection and said why. `code` is that of MQTT 5.
    void (*disconnected)(void *context, int code);
    /// An error message of the library or of OpenSSL.
    void (*logged)(void *context, const char *text);
};

struct cmosquitto_client;

/// A client with a clean session, and an identifier of its own, so that two connections never end each other. `protocol` is
/// MQTT_PROTOCOL_V5 or _V311.
/// SIGPIPE is left as it was, though the library has it ignored. NULL with `errno` set on failure.
struct cmosquitto_client *cmosquitto_new(int protocol, struct cmosquitto_callbacks callbacks, void *context);
void cmosquitto_destroy(struct cmosquitto_client *client);

/// These return a `mosq_err_t`. With MOSQ_ERR_ERRNO `errno` says more, with MOSQ_ERR_EAI it is a code of getaddrinfo.
int cmosquitto_set_login(struct cmosquitto_client *client, const char *username, const char *password);
/// The broker is verified against the certificates in the file `authorities` (PEM); with NULL against those of the system, or those in the file
/// that SSL_CERT_FILE names (OpenSSL). MOSQ_ERR_INVAL if the file cannot be opened.
int cmosquitto_set_tls(struct cmosquitto_client *client, const char *authorities);
/// Blocks while it looks up the name and opens the connection. `keepalive` is in seconds, at least 5.
int cmosquitto_connect(struct cmosquitto_client *client, const char *host, int port, int keepalive);
/// With QoS 1.
int cmosquitto_publish(
    struct cmosquitto_client *client, int *identifier, const char *topic, const void *payload, int length, bool retain);
int cmosquitto_read(struct cmosquitto_client *client);
int cmosquitto_write(struct cmosquitto_client *client);
int cmosquitto_misc(struct cmosquitto_client *client);
int cmosquitto_disconnect(struct cmosquitto_client *client);

/// How many bytes have come over the connection so far; false if that is not known.
bool cmosquitto_received(int descriptor, uint64_t *count);
/// -1 if there is no connection.
int cmosquitto_socket(struct cmosquitto_client *client);
bool cmosquitto_wants_write(struct cmosquitto_client *client);

const char *cmosquitto_error_text(int error);
/// The text for a reason code of MQTT 5.
const char *cmosquitto_reason_text(int code);
/// The text for a code of MQTT 3.1.1 with which a broker refuses a connection.
const char *cmosquitto_refusal_text(int code);
