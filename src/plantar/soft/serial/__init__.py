"""Set-points over a serial port."""
