"""What the server does: everything that decides, writes or thinks."""
