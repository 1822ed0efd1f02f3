# The Python half of the tool, run by either interpreter: requests and replies are lines of JSON, and nothing that the
# code prints can get between them. Replies are ASCII, so that no character in them can look like the end of a line.
import io, json, os, random, sys, textwrap, types

OUTPUT_LIMIT = 2_000_000  # more than any result may hold; the rest is dropped

class Printed(io.BytesIO):
    def write(self, data):
        room = OUTPUT_LIMIT - self.tell()
        if room > 0:
            super().write(bytes(data)[:room])
        return len(data)

    def take(self):
        data = self.getvalue()
        self.seek(0)
        self.truncate()
        return data.decode('utf-8', 'ignore')

def open_stdout():
    return io.TextIOWrapper(Printed(), 'utf-8', 'backslashreplace', newline='', write_through=True)

main = types.ModuleType('__main__')
sys.modules['__main__'] = main
stdout = open_stdout()

def answer(line):
    request = json.loads(line)
    if 'code' in request:
        return json.dumps({'output': run(request['code'])})
    limit_memory(request['memoryBytes'])
    random.seed(request['seed'])  # a state that is built again gets the same numbers
    return json.dumps({'output': ''})

def limit_memory(size):
    try:
        import resource
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
    except (ImportError, ValueError, OSError):
        pass  # not every system can; Pyodide's own limit is set outside

def run(code):
    global stdout
    if stdout.closed:
        stdout = open_stdout()
    sys.stdout = stdout
    failure = None
    try:
        exec(compile(textwrap.dedent(code), '<string>', 'exec', dont_inherit=True), main.__dict__)
    except SystemExit:
        pass
    except BaseException as error:
        failure = message(error)
    printed = '' if stdout.closed else stdout.buffer.take()
    return printed if failure is None else failure

def message(error):
    try:
        return str(error) or type(error).__name__
    except BaseException:
        return type(error).__name__
