// Has no declarations: linking the target is enough.
