"""What every part of the program may use: cores, files, progress, interrupts, JSON, compiled code. No mathematics."""
