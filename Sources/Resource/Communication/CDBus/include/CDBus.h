#pragma once

// The functions of libdbus that istep calls, under their own names. They load the library when the first of them is called: most commands do
// not use D-Bus, and loading libdbus and the libraries of libsystemd behind it takes half of the dynamic loader's time for istep. Building
// needs no headers of libdbus.
//
// Types and numbers as in its reference, https://dbus.freedesktop.org/doc/api/html/: the interface of libdbus-1.so.3 has been stable since
// 2006. Types that are only passed on stay opaque; those that the caller provides have at least the size of libdbus's.

#include <stdint.h>

typedef uint32_t dbus_bool_t;
typedef uint32_t dbus_uint32_t;
typedef struct DBusConnection DBusConnection;
typedef struct DBusMessage DBusMessage;
typedef struct DBusError { const char *name; const char *message; void *room[6]; } DBusError;
typedef struct DBusMessageIter { void *room[16]; } DBusMessageIter;

#define DBUS_MESSAGE_TYPE_METHOD_CALL 1
#define DBUS_MESSAGE_TYPE_METHOD_RETURN 2
#define DBUS_MESSAGE_TYPE_ERROR 3
#define DBUS_MESSAGE_TYPE_SIGNAL 4

/// Loads libdbus. Returns NULL, or why it cannot be loaded: then the functions below end the program. May be called by several threads.
const char *cdbus_problem(void);

void dbus_error_free(DBusError *error);
void dbus_error_init(DBusError *error);
void dbus_free(void *memory);
dbus_bool_t dbus_signature_validate(const char *signature, DBusError *error);
dbus_bool_t dbus_signature_validate_single(const char *signature, DBusError *error);
dbus_bool_t dbus_threads_init_default(void);
char *dbus_try_get_local_machine_id(DBusError *error);
dbus_bool_t dbus_validate_bus_name(const char *name, DBusError *error);
dbus_bool_t dbus_validate_error_name(const char *name, DBusError *error);
dbus_bool_t dbus_validate_interface(const char *name, DBusError *error);
dbus_bool_t dbus_validate_member(const char *name, DBusError *error);

dbus_bool_t dbus_connection_can_send_type(DBusConnection *connection, int type);
void dbus_connection_close(DBusConnection *connection);
dbus_bool_t dbus_connection_get_is_connected(DBusConnection *connection);
long dbus_connection_get_outgoing_size(DBusConnection *connection);
dbus_bool_t dbus_connection_get_unix_fd(DBusConnection *connection, int *fd);
dbus_bool_t dbus_connection_has_messages_to_send(DBusConnection *connection);
DBusConnection *dbus_connection_open_private(const char *address, DBusError *error);
DBusMessage *dbus_connection_pop_message(DBusConnection *connection);
dbus_bool_t dbus_connection_read_write(DBusConnection *connection, int timeout_milliseconds);
dbus_bool_t dbus_connection_send(DBusConnection *connection, DBusMessage *message, dbus_uint32_t *client_serial);
void dbus_connection_set_change_sigpipe(dbus_bool_t will_modify_sigpipe);
void dbus_connection_set_exit_on_disconnect(DBusConnection *connection, dbus_bool_t exit_on_disconnect);
void dbus_connection_set_max_message_size(DBusConnection *connection, long size);
void dbus_connection_unref(DBusConnection *connection);

const char *dbus_message_get_destination(DBusMessage *message);
const char *dbus_message_get_error_name(DBusMessage *message);
const char *dbus_message_get_interface(DBusMessage *message);
const char *dbus_message_get_member(DBusMessage *message);
dbus_bool_t dbus_message_get_no_reply(DBusMessage *message);
const char *dbus_message_get_path(DBusMessage *message);
dbus_uint32_t dbus_message_get_reply_serial(DBusMessage *message);
const char *dbus_message_get_sender(DBusMessage *message);
dbus_uint32_t dbus_message_get_serial(DBusMessage *message);
int dbus_message_get_type(DBusMessage *message);
DBusMessage *dbus_message_new(int message_type);
DBusMessage *dbus_message_new_method_call(const char *bus_name, const char *path, const char *iface, const char *method);
DBusMessage *dbus_message_new_signal(const char *path, const char *iface, const char *name);
dbus_bool_t dbus_message_set_destination(DBusMessage *message, const char *destination);
dbus_bool_t dbus_message_set_error_name(DBusMessage *message, const char *name);
void dbus_message_set_no_reply(DBusMessage *message, dbus_bool_t no_reply);
dbus_bool_t dbus_message_set_reply_serial(DBusMessage *message, dbus_uint32_t reply_serial);
void dbus_message_unref(DBusMessage *message);

void dbus_message_iter_abandon_container(DBusMessageIter *iter, DBusMessageIter *sub);
dbus_bool_t dbus_message_iter_append_basic(DBusMessageIter *iter, int type, const void *value);
dbus_bool_t dbus_message_iter_append_fixed_array(DBusMessageIter *iter, int element_type, const void *value, int n_elements);
dbus_bool_t dbus_message_iter_close_container(DBusMessageIter *iter, DBusMessageIter *sub);
int dbus_message_iter_get_arg_type(DBusMessageIter *iter);
void dbus_message_iter_get_basic(DBusMessageIter *iter, void *value);
int dbus_message_iter_get_element_type(DBusMessageIter *iter);
void dbus_message_iter_get_fixed_array(DBusMessageIter *iter, void *value, int *n_elements);
char *dbus_message_iter_get_signature(DBusMessageIter *iter);
dbus_bool_t dbus_message_iter_init(DBusMessage *message, DBusMessageIter *iter);
void dbus_message_iter_init_append(DBusMessage *message, DBusMessageIter *iter);
dbus_bool_t dbus_message_iter_next(DBusMessageIter *iter);
dbus_bool_t dbus_message_iter_open_container(DBusMessageIter *iter, int type, const char *contained_signature, DBusMessageIter *sub);
void dbus_message_iter_recurse(DBusMessageIter *iter, DBusMessageIter *sub);
