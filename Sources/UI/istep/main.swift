print("istep")
