"""What a process at work finds as it is in the process that asked for it, however the two were started."""

import errno
import os
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from shutil import which

import pytest

from rrcore.errors import InputError
from rrcore.work import LostError, Worker, open_executor, prepare_worker, process, run
from rrcore.work.bounded import bounded

ROOT = Path(__file__).parents[2]


def python(*arguments, before=(), **options):
    """A program that finds this library, and prints as programs do by themselves."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": ""}
    return subprocess.run(
        [*before, sys.executable, *arguments], env=environment, capture_output=True, text=True, timeout=60, **options
    )


def done_apart(function, task):
    """What a function makes of a task in a new process."""
    with open_executor(workers=1) as executor:
        return next(run(function, [task], executor=executor))


def test_a_module_of_a_folder_that_was_named_later_is_found(tmp_path, monkeypatch):
    list(Worker(lambda report: [3]).pieces(seconds=60))
    (tmp_path / "so:named").mkdir()
    (tmp_path / "so:named" / "squares.py").write_text("def square(x): return x * x\n")
    monkeypatch.syspath_prepend(str(tmp_path / "so:named"))
    assert done_apart(import_module("squares").square, 3) == 9


def test_a_new_process_has_the_present_environment_and_arguments(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "asking.py").write_text("import os, sys\ndef asked(_): return os.environ.get('ASKED'), sys.argv\n")
    asked = import_module("asking").asked
    for value in ("first", "second", None):
        monkeypatch.setenv("ASKED", value) if value else monkeypatch.delenv("ASKED")
        monkeypatch.setattr(sys, "argv", ["program", str(value)])
        assert done_apart(asked, 0) == (value, ["program", str(value)])


def test_a_process_at_work_looks_for_garbage():
    """What forks it has that left alone while it loads."""
    prepare_worker(["rrcore.limits"])
    (looked_for,) = Worker(lambda report: [__import__("gc").isenabled()]).pieces(seconds=60)
    assert looked_for


MOVING = """
import os, sys, first
from rrcore.work import open_executor, run
def squared(function):
    with open_executor(workers=1) as executor:
        return list(run(function, [3], executor=executor))
os.chdir(sys.argv[1])
import second
print(squared(first.square), squared(second.square))
"""


def test_modules_of_the_folder_that_a_program_began_in_and_of_the_one_it_moved_to_are_found(tmp_path):
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.py").write_text("def square(x): return x * x\n")
    done = python("-c", MOVING, tmp_path / "second", cwd=tmp_path / "first")
    assert (done.stdout, done.stderr) == ("[9] [9]\n", "")


HIDING = ("random", "secrets", "hmac", "struct", "socket", "json")


def test_files_of_the_present_folder_hide_no_library(tmp_path):
    script, folder = tmp_path / "script.py", tmp_path / "folder"
    folder.mkdir()
    for name in HIDING:
        (folder / f"{name}.py").write_text("print('run')\n")
    script.write_text(
        "from rrcore.work import open_executor, run\nprint(list(run(abs, [-3], executor=open_executor(workers=1))))\n"
    )
    done = python(script, cwd=folder)
    assert (done.stdout, done.stderr) == ("[3]\n", "")


def test_options_of_python_are_passed_on():
    script = "import sys; from rrcore.work import Worker\n"
    script += "def asked(report): yield sys.flags.optimize, sys.warnoptions, sys.flags.dev_mode\n"
    script += "print(*Worker(asked).pieces(seconds=60))"
    done = python("-O", "-W", "error::FutureWarning", "-c", script)
    assert (done.stdout, done.stderr) == ("(1, ['error::FutureWarning'], False)\n", "")


@pytest.mark.skipif(
    os.name != "posix" or os.getuid() != 0 or not which("setpriv"), reason="only root can make and enter such a folder"
)
@pytest.mark.parametrize("mode", [0o711, 0o700])
def test_work_is_done_in_a_folder_of_somebody_else(tmp_path, mode):
    """One whose files cannot be listed, and one that cannot even be entered, as after su in the folder of root."""
    folder = tmp_path / "closed"
    folder.mkdir()
    os.chown(folder, 65534, 65534)
    folder.chmod(mode)
    script = "from rrcore.work import Worker\nfrom rrcore.work.bounded import bounded\n"
    script += "look = 'rrcore.table.reading.file:look', b'a,b', {'name': 'a.csv', 'encoding': ''}\n"
    script += "print(bounded(*look, what='Reading', action='').about['title'], *Worker(lambda report: [3]).pieces(seconds=60))"
    done = python("-c", script, before=("setpriv", "--bounding-set=-dac_override,-dac_read_search"), cwd=folder)
    assert (done.stdout, done.stderr) == ("a 3\n", "")


ROOM = "This computer has no room for another process: start the work again later."
FILES = "Too many files and connections are open to start another process: start the work again later."


@pytest.mark.parametrize(
    ("number", "told"), [(errno.EAGAIN, ROOM), (errno.ENOMEM, ROOM), (errno.EMFILE, FILES), (errno.ENFILE, FILES)]
)
def test_where_there_is_no_room_for_another_process_it_is_said(monkeypatch, number, told):
    stop_at_start(monkeypatch, number)
    for start in STARTS:
        with pytest.raises(InputError, match=f"^{told}$"):
            start()


def test_what_else_keeps_a_process_from_starting_is_not_taken_for_want_of_room(monkeypatch):
    stop_at_start(monkeypatch, errno.EACCES)
    for start in STARTS:
        with pytest.raises(PermissionError):
            start()


def stop_at_start(monkeypatch, number):
    def stop(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(process.Server, "_tell", stop)
    monkeypatch.setattr(process.Server, "load", lambda *_: None)


STARTS = (
    Worker,
    lambda: done_apart(abs, -3),
    lambda: bounded("rrcore.table.reading.file:look", b"", {}, what="Reading", action=""),
)


def test_a_process_that_ends_of_an_error_of_its_own_says_where_it_was():
    script = "import sys\nfrom rrcore.work import LostError, Worker\n"
    script += "try: list(Worker(lambda report: sys.exit(3)).pieces(seconds=60))\nexcept LostError as error: print(error)"
    done = python("-c", script)
    assert "was cut off" in done.stdout
    assert done.stderr.startswith("Traceback")
    assert done.stderr.endswith("SystemExit: 3\n")


def test_what_a_task_prints_is_printed():
    script = "from rrcore.work import open_executor, run\n"
    script += "with open_executor(workers=1) as executor: list(run(print, ['said'], executor=executor))"
    assert python("-c", script).stdout == "said\n"


def test_where_nothing_forks_a_process_that_does_not_begin_is_ended(monkeypatch):
    begun = []

    def idle(self, call, **options):
        begun.append(subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"], **options))
        return begun[0]

    monkeypatch.setattr(process, "FORKS", False)
    monkeypatch.setattr(process, "_PATIENCE", 0.2)
    monkeypatch.setattr(process.Server, "_open", idle)
    with pytest.raises(LostError, match=r"^Another process did not begin within 5 seconds: start the work again later\.$"):
        Worker()
    assert begun[0].returncode == -9


WORKING = """
import sys
from rrcore.work import Worker, open_executor, process, run
process.FORKS = process.FORKS and sys.argv[1] == "forks"
from rrcore.work.bounded import bounded
with open_executor(workers=2) as executor:
    print(*run(abs, [-3, -4], executor=executor))
print(*Worker(lambda report: [3]).pieces(seconds=60))
look = "rrcore.table.reading.file:look", b"a,b", {"name": "a.csv", "encoding": ""}
print(bounded(*look, what="Reading", action="").about["title"])
"""


@pytest.mark.parametrize("way", ["forks", pytest.param("alone", marks=pytest.mark.slow)])
def test_nothing_is_left_open(way):
    done = python("-X", "dev", "-c", WORKING, way)
    assert (done.stdout, done.stderr) == ("3 4\n3\na\n", "")


LEFT = """
import os, signal, socket
from rrcore.work.server import serve
own, other = socket.socketpair()
own.close()
serve(other.detach())
os.kill(os.getpid(), signal.SIGCHLD)  # as when a process that it has forked ends after it was left
"""


def test_a_server_that_nobody_needs_any_more_ends_in_silence():
    assert python("-c", LEFT).stderr == ""


def test_a_program_that_has_forked_ends_all_the_same_and_so_does_what_it_has_forked():
    script = "import os\nfrom rrcore.work import Worker\n"
    script += "def work(): print(*Worker(lambda report: [3]).pieces(seconds=60), flush=True)\n"
    script += "work()\nif os.fork(): os.wait()\nwork()"
    done = python("-c", script)
    assert (done.stdout, done.stderr, done.returncode) == ("3\n3\n3\n", "", 0)


MANY = """
import os, resource, socket
from rrcore.work.process import NAME_BYTES, STATUS
from rrcore.work.server import serve
resource.setrlimit(resource.RLIMIT_NOFILE, (1200, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
opened = [os.open("/dev/null", os.O_RDONLY) for _ in range(1100)]
line, other = socket.socketpair()
if not os.fork():
    line.close()
    serve(other.detach())
end, theirs = socket.socketpair()
status, told = socket.socketpair()
socket.send_fds(line, [b" " * NAME_BYTES], [theirs.fileno(), told.fileno()])
for each in (other, theirs, told): each.close()
print(STATUS.unpack(status.recv(STATUS.size))[0] > 0)
"""


def test_a_server_waits_for_more_processes_than_select_does():
    done = python("-c", MANY)
    assert (done.stdout, done.stderr) == ("True\n", "")


SLOW_TO_END = """
import os, socket, time
from rrcore.work.process import NAME_BYTES, STATUS
from rrcore.work.server import serve
read, write = os.pipe()
line, other = socket.socketpair()
if not os.fork():
    line.close()
    os.kill = lambda *_: os.write(write, b"k")
    serve(other.detach())
end, theirs = socket.socketpair()
status, told = socket.socketpair()
socket.send_fds(line, [b" " * NAME_BYTES], [theirs.fileno(), told.fileno()])
for each in (other, theirs, told): each.close()
status.recv(STATUS.size)
status.shutdown(socket.SHUT_WR)
time.sleep(0.2)
end.close()
print(STATUS.unpack(status.recv(STATUS.size))[0], os.read(read, 1000))
"""


def test_a_process_is_killed_once_however_long_it_takes_to_be_gone():
    """A server that looked at it all the while kept a processor busy, which the end of the process took the longer for."""
    done = python("-c", SLOW_TO_END)
    assert (done.stdout, done.stderr) == ("1 b'k'\n", "")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux sets limits of other processes")
@pytest.mark.parametrize("more", [0, 1])
def test_a_server_that_may_open_no_more_files_keeps_those_at_work(more):
    import resource

    server = process.Server({}, output=True)
    server.start("rrcore.work.worker:serve", 0).close()
    one = server.start("rrcore.work.worker:serve", 0)
    time.sleep(0.1)  # until the server has closed what it handed on
    opened = set(map(int, os.listdir(f"/proc/{server._process.pid}/fd")))
    free = [number for number in range(len(opened) + 2) if number not in opened]
    resource.prlimit(server._process.pid, resource.RLIMIT_NOFILE, (free[more],) * 2)
    with pytest.raises(LostError, match="No other process was started"):
        server.start("rrcore.work.worker:serve", 0)
    assert one.close()[1] > 0  # which the server knows
