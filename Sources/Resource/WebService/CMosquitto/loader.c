#include "CMosquitto.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* Each function with the type that mosquitto.h declares, so that a change of a signature does not compile. */
#define FUNCTIONS(F) \
    F(mosquitto_lib_init) F(mosquitto_new) F(mosquitto_destroy) F(mosquitto_int_option) F(mosquitto_username_pw_set) \
    F(mosquitto_tls_set) \
    F(mosquitto_connect) F(mosquitto_disconnect) F(mosquitto_publish) F(mosquitto_loop_read) F(mosquitto_loop_write) \
    F(mosquitto_loop_misc) F(mosquitto_socket) F(mosquitto_want_write) \
    F(mosquitto_connect_v5_callback_set) F(mosquitto_publish_v5_callback_set) F(mosquitto_disconnect_v5_callback_set) \
    F(mosquitto_log_callback_set) F(mosquitto_property_read_byte) F(mosquitto_strerror) F(mosquitto_reason_string) \
    F(mosquitto_connack_string)

#define DECLARE(name) __typeof__(name) *name##_p;
struct functions { FUNCTIONS(DECLARE) };

static struct functions library;

const char *cmosquitto_load(const char *name) {
    /* Never closed: OpenSSL, which comes with it, has handlers at exit. */
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return dlerror();
    struct functions found;
#define FIND(name) \
    { \
        void *address = dlsym(handle, #name); \
        if (!address) return dlerror(); \
        memcpy(&found.name##_p, &address, sizeof address); \
    }
    FUNCTIONS(FIND)
    int error = found.mosquitto_lib_init_p();
    if (error) return found.mosquitto_strerror_p(error);
    library = found;
    return NULL;
}

struct cmosquitto_client {
    struct mosquitto *mosquitto;
    struct cmosquitto_callbacks callbacks;
    void *context;
};

static void connected(struct mosquitto *m, void *object, int code, int flags, const mosquitto_property *properties) {
    (void)m;
    (void)flags;
    struct cmosquitto_client *client = object;
    uint8_t retains = 1;
    library.mosquitto_property_read_byte_p(properties, MQTT_PROP_RETAIN_AVAILABLE, &retains, false);
    client->callbacks.connected(client->context, code, retains != 0);
}

static void acknowledged(struct mosquitto *m, void *object, int identifier, int code, const mosquitto_property *properties) {
    (void)m;
    (void)properties;
    struct cmosquitto_client *client = object;
    client->callbacks.acknowledged(client->context, identifier, code);
}

static void disconnected(struct mosquitto *m, void *object, int code, const mosquitto_property *properties) {
    (void)m;
    (void)properties;
    struct cmosquitto_client *client = object;
    client->callbacks.disconnected(client->context, code);
}

static void logged(struct mosquitto *m, void *object, int level, const char *text) {
    (void)m;
    struct cmosquitto_client *client = object;
    if (level == MOSQ_LOG_ERR || level == MOSQ_LOG_WARNING) client->callbacks.logged(client->context, text);
}

/* The library ignores SIGPIPE for the whole program, which for a command in a pipe is wrong. */
static struct mosquitto *new_without_signals(void *object) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct sigaction before;
    pthread_mutex_lock(&lock);
    sigaction(SIGPIPE, NULL, &before);
    struct mosquitto *m = library.mosquitto_new_p(NULL, true, object);
    int error = errno;
    sigaction(SIGPIPE, &before, NULL);
    pthread_mutex_unlock(&lock);
    errno = error;
    return m;
}

struct cmosquitto_client *cmosquitto_new(int protocol, struct cmosquitto_callbacks callbacks, void *context) {
    struct cmosquitto_client *client = malloc(sizeof *client);
    if (!client) return NULL;
    struct mosquitto *m = new_without_signals(client);
    if (!m) {
        int error = errno;
        free(client);
        errno = error;
        return NULL;
    }
    *client = (struct cmosquitto_client){m, callbacks, context};
    library.mosquitto_int_option_p(m, MOSQ_OPT_PROTOCOL_VERSION, protocol);
    library.mosquitto_int_option_p(m, MOSQ_OPT_TCP_NODELAY, 1);
    library.mosquitto_connect_v5_callback_set_p(m, connected);
    library.mosquitto_publish_v5_callback_set_p(m, acknowledged);
    library.mosquitto_disconnect_v5_callback_set_p(m, disconnected);
    library.mosquitto_log_callback_set_p(m, logged);
    return client;
}

void cmosquitto_destroy(struct cmosquitto_client *client) {
    library.mosquitto_destroy_p(client->mosquitto);
    free(client);
}

int cmosquitto_set_login(struct cmosquitto_client *client, const char *username, const char *password) {
    return library.mosquitto_username_pw_set_p(client->mosquitto, username, password);
}

int cmosquitto_set_tls(struct cmosquitto_client *client, const char *authorities) {
    if (authorities) return library.mosquitto_tls_set_p(client->mosquitto, authorities, NULL, NULL, NULL, NULL);
    return library.mosquitto_int_option_p(client->mosquitto, MOSQ_OPT_TLS_USE_OS_CERTS, 1);
}

int cmosquitto_connect(struct cmosquitto_client *client, const char *host, int port, int keepalive) {
    return library.mosquitto_connect_p(client->mosquitto, host, port, keepalive);
}

int cmosquitto_publish(
    struct cmosquitto_client *client, int *identifier, const char *topic, const void *payload, int length, bool retain) {
    return library.mosquitto_publish_p(client->mosquitto, identifier, topic, length, payload, 1, retain);
}

int cmosquitto_read(struct cmosquitto_client *client) { return library.mosquitto_loop_read_p(client->mosquitto, 1); }
int cmosquitto_write(struct cmosquitto_client *client) { return library.mosquitto_loop_write_p(client->mosquitto, 1); }
int cmosquitto_misc(struct cmosquitto_client *client) { return library.mosquitto_loop_misc_p(client->mosquitto); }
int cmosquitto_disconnect(struct cmosquitto_client *client) { return library.mosquitto_disconnect_p(client->mosquitto); }
int cmosquitto_socket(struct cmosquitto_client *client) { return library.mosquitto_socket_p(client->mosquitto); }
bool cmosquitto_wants_write(struct cmosquitto_client *client) { return library.mosquitto_want_write_p(client->mosquitto); }

bool cmosquitto_received(int descriptor, uint64_t *count) {
    struct tcp_info info;
    socklen_t size = sizeof info;
    if (descriptor < 0 || getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size)) return false;
    if (size < offsetof(struct tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received) return false;
    *count = info.tcpi_bytes_received;
    return true;
}

const char *cmosquitto_error_text(int error) { return library.mosquitto_strerror_p(error); }
const char *cmosquitto_reason_text(int code) { return library.mosquitto_reason_string_p(code); }
const char *cmosquitto_refusal_text(int code) { return library.mosquitto_connack_string_p(code); }
