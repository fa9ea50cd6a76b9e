"""What every part of the program may use: cores, files, progress, interrupts, JSON, seeds, compiled code. No math."""
