/* libcurl, loaded when it is first needed. */
