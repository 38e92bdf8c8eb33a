#include "CDBus.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

static void *library;
static const char *problem;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    /* The name of the interface of libdbus since 2008. Never closed. */
    library = dlopen("libdbus-1.so.3", RTLD_NOW | RTLD_LOCAL);
    const char *reason = library ? NULL : dlerror();
    if (library) return;
    /* The text of dlerror ends with the next call of this thread, and with the thread. */
    problem = reason ? strdup(reason) : NULL;
    if (!problem) problem = "libdbus-1.so.3 cannot be loaded";
}

const char *cdbus_problem(void) {
    pthread_once(&once, load);
    return problem;
}

static void *find(const char *name) {
    void *function = cdbus_problem() ? NULL : dlsym(library, name);
    if (function) return function;
    fprintf(stderr, "%s cannot be called: install libdbus (Debian: libdbus-1-3)\n", name);
    exit(EX_UNAVAILABLE);
}

/* Two threads may look for the same function at once: both find the same. */
#define FORWARD(result, name, parameters, arguments) \
    result name parameters { \
        static _Atomic(__typeof__(&name)) found; \
        __typeof__(&name) function = found; \
        if (!function) found = function = (__typeof__(&name))find(#name); \
        return function arguments; \
    }

FORWARD(dbus_bool_t, dbus_connection_can_send_type, (DBusConnection *connection, int type), (connection, type))
FORWARD(void, dbus_connection_close, (DBusConnection *connection), (connection))
FORWARD(dbus_bool_t, dbus_connection_get_is_connected, (DBusConnection *connection), (connection))
FORWARD(long, dbus_connection_get_outgoing_size, (DBusConnection *connection), (connection))
FORWARD(dbus_bool_t, dbus_connection_get_unix_fd, (DBusConnection *connection, int *fd), (connection, fd))
FORWARD(dbus_bool_t, dbus_connection_has_messages_to_send, (DBusConnection *connection), (connection))
FORWARD(DBusConnection *, dbus_connection_open_private, (const char *address, DBusError *error), (address, error))
FORWARD(DBusMessage *, dbus_connection_pop_message, (DBusConnection *connection), (connection))
FORWARD(dbus_bool_t, dbus_connection_read_write, (DBusConnection *connection, int timeout_milliseconds), (connection, timeout_milliseconds))
FORWARD(
    dbus_bool_t, dbus_connection_send, (DBusConnection *connection, DBusMessage *message, dbus_uint32_t *client_serial),
    (connection, message, client_serial))
FORWARD(void, dbus_connection_set_change_sigpipe, (dbus_bool_t will_modify_sigpipe), (will_modify_sigpipe))
FORWARD(
    void, dbus_connection_set_exit_on_disconnect, (DBusConnection *connection, dbus_bool_t exit_on_disconnect),
    (connection, exit_on_disconnect))
FORWARD(void, dbus_connection_set_max_message_size, (DBusConnection *connection, long size), (connection, size))
FORWARD(void, dbus_connection_unref, (DBusConnection *connection), (connection))
FORWARD(void, dbus_error_free, (DBusError *error), (error))
FORWARD(void, dbus_error_init, (DBusError *error), (error))
FORWARD(void, dbus_free, (void *memory), (memory))
FORWARD(const char *, dbus_message_get_destination, (DBusMessage *message), (message))
FORWARD(const char *, dbus_message_get_error_name, (DBusMessage *message), (message))
FORWARD(const char *, dbus_message_get_interface, (DBusMessage *message), (message))
FORWARD(const char *, dbus_message_get_member, (DBusMessage *message), (message))
FORWARD(dbus_bool_t, dbus_message_get_no_reply, (DBusMessage *message), (message))
FORWARD(const char *, dbus_message_get_path, (DBusMessage *message), (message))
FORWARD(dbus_uint32_t, dbus_message_get_reply_serial, (DBusMessage *message), (message))
FORWARD(const char *, dbus_message_get_sender, (DBusMessage *message), (message))
FORWARD(dbus_uint32_t, dbus_message_get_serial, (DBusMessage *message), (message))
FORWARD(int, dbus_message_get_type, (DBusMessage *message), (message))
FORWARD(void, dbus_message_iter_abandon_container, (DBusMessageIter *iter, DBusMessageIter *sub), (iter, sub))
FORWARD(dbus_bool_t, dbus_message_iter_append_basic, (DBusMessageIter *iter, int type, const void *value), (iter, type, value))
FORWARD(
    dbus_bool_t, dbus_message_iter_append_fixed_array, (DBusMessageIter *iter, int element_type, const void *value, int n_elements),
    (iter, element_type, value, n_elements))
FORWARD(dbus_bool_t, dbus_message_iter_close_container, (DBusMessageIter *iter, DBusMessageIter *sub), (iter, sub))
FORWARD(int, dbus_message_iter_get_arg_type, (DBusMessageIter *iter), (iter))
FORWARD(void, dbus_message_iter_get_basic, (DBusMessageIter *iter, void *value), (iter, value))
FORWARD(int, dbus_message_iter_get_element_type, (DBusMessageIter *iter), (iter))
FORWARD(void, dbus_message_iter_get_fixed_array, (DBusMessageIter *iter, void *value, int *n_elements), (iter, value, n_elements))
FORWARD(char *, dbus_message_iter_get_signature, (DBusMessageIter *iter), (iter))
FORWARD(dbus_bool_t, dbus_message_iter_init, (DBusMessage *message, DBusMessageIter *iter), (message, iter))
FORWARD(void, dbus_message_iter_init_append, (DBusMessage *message, DBusMessageIter *iter), (message, iter))
FORWARD(dbus_bool_t, dbus_message_iter_next, (DBusMessageIter *iter), (iter))
FORWARD(
    dbus_bool_t, dbus_message_iter_open_container, (DBusMessageIter *iter, int type, const char *contained_signature, DBusMessageIter *sub),
    (iter, type, contained_signature, sub))
FORWARD(void, dbus_message_iter_recurse, (DBusMessageIter *iter, DBusMessageIter *sub), (iter, sub))
FORWARD(DBusMessage *, dbus_message_new, (int message_type), (message_type))
FORWARD(
    DBusMessage *, dbus_message_new_method_call, (const char *bus_name, const char *path, const char *iface, const char *method),
    (bus_name, path, iface, method))
FORWARD(DBusMessage *, dbus_message_new_signal, (const char *path, const char *iface, const char *name), (path, iface, name))
FORWARD(dbus_bool_t, dbus_message_set_destination, (DBusMessage *message, const char *destination), (message, destination))
FORWARD(dbus_bool_t, dbus_message_set_error_name, (DBusMessage *message, const char *name), (message, name))
FORWARD(void, dbus_message_set_no_reply, (DBusMessage *message, dbus_bool_t no_reply), (message, no_reply))
FORWARD(dbus_bool_t, dbus_message_set_reply_serial, (DBusMessage *message, dbus_uint32_t reply_serial), (message, reply_serial))
FORWARD(void, dbus_message_unref, (DBusMessage *message), (message))
FORWARD(dbus_bool_t, dbus_signature_validate, (const char *signature, DBusError *error), (signature, error))
FORWARD(dbus_bool_t, dbus_signature_validate_single, (const char *signature, DBusError *error), (signature, error))
FORWARD(dbus_bool_t, dbus_threads_init_default, (void), ())
FORWARD(char *, dbus_try_get_local_machine_id, (DBusError *error), (error))
FORWARD(dbus_bool_t, dbus_validate_bus_name, (const char *name, DBusError *error), (name, error))
FORWARD(dbus_bool_t, dbus_validate_error_name, (const char *name, DBusError *error), (name, error))
FORWARD(dbus_bool_t, dbus_validate_interface, (const char *name, DBusError *error), (name, error))
FORWARD(dbus_bool_t, dbus_validate_member, (const char *name, DBusError *error), (name, error))
