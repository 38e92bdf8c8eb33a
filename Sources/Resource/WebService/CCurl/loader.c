#include "CCurl.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

/* Each function with the type that curl.h declares, so that a change of a signature does not compile. */
#define FUNCTIONS(F) \
    F(curl_global_init) F(curl_easy_init) F(curl_easy_cleanup) F(curl_easy_strerror) \
    F(curl_easy_setopt) F(curl_easy_getinfo) F(curl_slist_append) F(curl_slist_free_all) F(curl_multi_init) \
    F(curl_multi_cleanup) F(curl_multi_add_handle) F(curl_multi_remove_handle) F(curl_multi_perform) \
    F(curl_multi_poll) F(curl_multi_wakeup) F(curl_multi_info_read) F(curl_easy_send) F(curl_easy_recv)

#define DECLARE(name) __typeof__(name) *name##_p;
struct functions { FUNCTIONS(DECLARE) };

static struct functions curl;

const char *ccurl_load(const char *name) {
    /* Never closed: its threads and handlers at exit may run at any time. */
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) return dlerror();
    struct functions found;
#define FIND(name) \
    { \
        void *address = dlsym(library, #name); \
        if (!address) return dlerror(); \
        memcpy(&found.name##_p, &address, sizeof address); \
    }
    FUNCTIONS(FIND)
    CURLcode code = found.curl_global_init_p(CURL_GLOBAL_DEFAULT);
    if (code != CURLE_OK) return found.curl_easy_strerror_p(code);
    curl = found;
    return NULL;
}

CURL *ccurl_easy_init(void) { return curl.curl_easy_init_p(); }
void ccurl_easy_cleanup(CURL *easy) { curl.curl_easy_cleanup_p(easy); }
const char *ccurl_easy_strerror(CURLcode code) { return curl.curl_easy_strerror_p(code); }

#define SET(name, type) \
    CURLcode name(CURL *easy, CURLoption option, type value) { return curl.curl_easy_setopt_p(easy, option, value); }
SET(ccurl_set_long, long)
SET(ccurl_set_size, curl_off_t)
SET(ccurl_set_text, const char *)
SET(ccurl_set_pointer, void *)
SET(ccurl_set_list, struct curl_slist *)
SET(ccurl_set_receiver, curl_write_callback)
/* libcurl 7.88 leaves its sockets to programs that are started meanwhile: a connection that was closed would stay open in them. */
static curl_socket_t open_socket(void *pointer, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)pointer;
    (void)purpose;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

CURLcode ccurl_set_sockets(CURL *easy) {
    return curl.curl_easy_setopt_p(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
}

CURLcode ccurl_set_prerequest(CURL *easy, curl_prereq_callback value) {
    return curl.curl_easy_setopt_p(easy, CURLOPT_PREREQFUNCTION, value);
}

CURLcode ccurl_set_digest(CURL *easy, const char *user, const char *password) {
    CURLcode code = curl.curl_easy_setopt_p(easy, CURLOPT_HTTPAUTH, CURLAUTH_DIGEST | CURLAUTH_ONLY);
    if (code == CURLE_OK) code = curl.curl_easy_setopt_p(easy, CURLOPT_USERNAME, user);
    if (code == CURLE_OK) code = curl.curl_easy_setopt_p(easy, CURLOPT_PASSWORD, password);
    return code;
}

CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl.curl_easy_getinfo_p(easy, info, value);
}
CURLcode ccurl_get_size(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl.curl_easy_getinfo_p(easy, info, value);
}

struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *text) {
    return curl.curl_slist_append_p(list, text);
}
void ccurl_slist_free_all(struct curl_slist *list) { curl.curl_slist_free_all_p(list); }

CURLM *ccurl_multi_init(void) { return curl.curl_multi_init_p(); }
CURLMcode ccurl_multi_cleanup(CURLM *multi) { return curl.curl_multi_cleanup_p(multi); }
CURLMcode ccurl_multi_add_handle(CURLM *multi, CURL *easy) { return curl.curl_multi_add_handle_p(multi, easy); }
CURLMcode ccurl_multi_remove_handle(CURLM *multi, CURL *easy) { return curl.curl_multi_remove_handle_p(multi, easy); }
CURLMcode ccurl_multi_perform(CURLM *multi, int *running) { return curl.curl_multi_perform_p(multi, running); }
CURLMcode ccurl_multi_poll(CURLM *multi, int milliseconds) {
    return curl.curl_multi_poll_p(multi, NULL, 0, milliseconds, NULL);
}
CURLMcode ccurl_multi_wakeup(CURLM *multi) { return curl.curl_multi_wakeup_p(multi); }
int ccurl_multi_ended(CURLM *multi, CURLcode *result) {
    int waiting;
    CURLMsg *message;
    while ((message = curl.curl_multi_info_read_p(multi, &waiting))) {
        if (message->msg != CURLMSG_DONE) continue;
        *result = message->data.result;
        return 1;
    }
    return 0;
}

curl_socket_t ccurl_active_socket(CURL *easy) {
    curl_socket_t socket = CURL_SOCKET_BAD;
    return curl.curl_easy_getinfo_p(easy, CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK ? socket : CURL_SOCKET_BAD;
}
CURLcode ccurl_easy_send(CURL *easy, const void *bytes, size_t count, size_t *sent) {
    return curl.curl_easy_send_p(easy, bytes, count, sent);
}
CURLcode ccurl_easy_recv(CURL *easy, void *bytes, size_t count, size_t *received) {
    return curl.curl_easy_recv_p(easy, bytes, count, received);
}
CURLMcode ccurl_multi_poll_socket(CURLM *multi, curl_socket_t socket, short events, int milliseconds) {
    struct curl_waitfd descriptor = {.fd = socket, .events = events};
    return curl.curl_multi_poll_p(multi, &descriptor, 1, milliseconds, NULL);
}
