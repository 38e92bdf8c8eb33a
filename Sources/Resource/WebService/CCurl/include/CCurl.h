/* libcurl, loaded when it is first needed: if it were linked, every start of a program would take five times as long.
 *
 * Its header gives the types, options and codes; none of its own functions can be called, only those below. They are as in
 * libcurl's manual, except curl_easy_setopt and curl_easy_getinfo, which take arguments of any type and cannot be called from
 * Swift. */
#ifndef CCURL_H
#define CCURL_H

/* CURLOPT_PROTOCOLS is deprecated, but it is the only option for this that older libraries have. */
#define CURL_DISABLE_DEPRECATION
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/* Loads the library of this name and gets it ready. Nothing else here may be called before it has succeeded. Not to be
 * called by two threads at once.
 * Returns NULL, or why it cannot be used: a text that lasts until this thread's next call. */
const char *ccurl_load(const char *name);

CURL *ccurl_easy_init(void);
void ccurl_easy_cleanup(CURL *easy);
const char *ccurl_easy_strerror(CURLcode code);

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value);
CURLcode ccurl_set_size(CURL *easy, CURLoption option, curl_off_t value);
CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *value);
CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value);
CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value);
CURLcode ccurl_set_receiver(CURL *easy, CURLoption option, curl_write_callback value);
CURLcode ccurl_set_prerequest(CURL *easy, curl_prereq_callback value);
/* Digest authentication and no other, once the server has asked for it: the first request is sent as a whole without it. Otherwise
 * libcurl would send a first request without a body, and the answer to that could be taken for the answer to the request. */
CURLcode ccurl_set_digest(CURL *easy, const char *user, const char *password);
/* Makes libcurl close its sockets in programs that are started while they are open. */
CURLcode ccurl_set_sockets(CURL *easy);

CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value);
CURLcode ccurl_get_size(CURL *easy, CURLINFO info, curl_off_t *value);

struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *text);
void ccurl_slist_free_all(struct curl_slist *list);

CURLM *ccurl_multi_init(void);
CURLMcode ccurl_multi_cleanup(CURLM *multi);
CURLMcode ccurl_multi_add_handle(CURLM *multi, CURL *easy);
CURLMcode ccurl_multi_remove_handle(CURLM *multi, CURL *easy);
CURLMcode ccurl_multi_perform(CURLM *multi, int *running);
CURLMcode ccurl_multi_poll(CURLM *multi, int milliseconds);
CURLMcode ccurl_multi_wakeup(CURLM *multi);
/* The next transfer that ended. Returns 0 if there is none; else 1, and how it ended. */
int ccurl_multi_ended(CURLM *multi, CURLcode *result);

/* The socket of a connection made with CURLOPT_CONNECT_ONLY; CURL_SOCKET_BAD if there is none. */
curl_socket_t ccurl_active_socket(CURL *easy);
CURLcode ccurl_easy_send(CURL *easy, const void *bytes, size_t count, size_t *sent);
CURLcode ccurl_easy_recv(CURL *easy, void *bytes, size_t count, size_t *received);
/* Waits until the socket is ready for these events (CURL_WAIT_POLL...), or for curl_multi_wakeup. */
CURLMcode ccurl_multi_poll_socket(CURLM *multi, curl_socket_t socket, short events, int milliseconds);

#endif
