"""What the commands do. Their names, options and exit codes are in server.__main__."""
