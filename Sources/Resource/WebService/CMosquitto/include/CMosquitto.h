/* libmosquitto, loaded when it is first needed. */
