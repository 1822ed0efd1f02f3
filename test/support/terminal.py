"""Runs a command on a terminal of its own: terminal.py COLUMNS ROWS COMMAND...; what is typed comes in on stdin, what it shows goes to stdout."""
import fcntl, os, pty, select, struct, sys, termios

columns, rows, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
sources = [terminal, 0]
while terminal in sources:
    ready, _, _ = select.select(sources, [], [])
    for source in ready:
        try:
            data = os.read(source, 65536)
        except OSError:  # the command has ended
            data = b""
        if not data:
            sources.remove(source)
        elif source == 0:
            os.write(terminal, data)
        else:
            os.write(1, data)
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status) & 0xFF)
