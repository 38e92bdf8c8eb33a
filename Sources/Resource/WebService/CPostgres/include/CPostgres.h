#pragma once

// libpq, loaded when it is first needed: most runs of the program do not need it, and would load it, OpenSSL and Kerberos if it were linked.

#include <postgresql/libpq-fe.h>

#define CPOSTGRES_FUNCTIONS(F) \
    F(PQconnectStartParams) F(PQconnectPoll) F(PQstatus) F(PQsocket) F(PQfinish) F(PQerrorMessage) F(PQconninfoParse) \
    F(PQconninfoFree) F(PQfreemem) F(PQconnectionNeedsPassword) F(PQsetnonblocking) F(PQflush) \
    F(PQsetNoticeReceiver) F(PQsendQueryParams) F(PQconsumeInput) F(PQisBusy) F(PQgetResult) F(PQresultStatus) \
    F(PQresultErrorField) F(PQresultErrorMessage) F(PQntuples) F(PQnfields) F(PQgetvalue) F(PQgetisnull) F(PQclear)

/// The functions of the library, each with the type that libpq-fe.h declares, so that a change of a signature does not compile.
#define CPOSTGRES_FIELD(name) __typeof__(name) *name;
struct cpostgres { CPOSTGRES_FUNCTIONS(CPOSTGRES_FIELD) };

/// Loads the library, such as "libpq.so.5". Returns NULL, or why it cannot be loaded.
const char *cpostgres_load(const char *name, struct cpostgres *functions);
