"""What istep must do on the real stack; one module a boot of the machine. `../../run` runs them."""
