"""Run a command and print what it took as one line of JSON: seconds, CPU seconds, peak memory.

Run as a script, and small on purpose: a process counts the memory of the one that started it as its own until
it loads its program, so a benchmark with Z3 and numpy in it must not start what it measures.
"""

import json
import os
import subprocess
import sys
import time


def main() -> None:
    started = time.perf_counter()
    child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    took = {
        "status": os.waitstatus_to_exitcode(status),
        "seconds": time.perf_counter() - started,
        "cpu": usage.ru_utime + usage.ru_stime,  # of the process and all that it waited for
        "peak_mib": usage.ru_maxrss / 1024,  # of the largest of them
    }
    print(json.dumps(took))


if __name__ == "__main__":
    main()
