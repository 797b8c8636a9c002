# SPDX-License-Identifier: MIT
"""Runs programs by judge_run."""
import pathlib
import subprocess
import tempfile
from dataclasses import dataclass, field

from program import WORDS, name_of, write_module


PIPED = 200  # requests that fit in a pipe, together


@dataclass
class Answer:
    """What judge_run said of one run."""
    races: list = field(default_factory=list)  # (line, thread, line, thread, is_strong, place)
    fault: str | None = None
    memory: str = ""
    decided: bool = False
    points: int = 0
    race_count: int = 0
    trace: list = field(default_factory=list)


class Engine:
    """A process of judge_run."""

    def __init__(self, path, exact):
        self.process = subprocess.Popen([path] + ["exact"] * exact, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.folder = tempfile.TemporaryDirectory()

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.folder.cleanup()

    def load(self, text):
        path = pathlib.Path(self.folder.name, "module.ptx")
        path.write_text("\n".join(text) + "\n")
        self.send(f"load {path}")
        answer = self.process.stdout.readline().rstrip()
        if answer != "loaded":
            raise RuntimeError(f"{path}: {answer}")

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def run(self, requests):
        """Yields the answer to each request: (name, program, model, schedule, traced)."""
        for start in range(0, len(requests), PIPED):
            yield from self.run_some(requests[start:start + PIPED])

    def run_some(self, requests):
        self.send("\n".join(f"run {name} {program.blocks} {program.threads + program.idle} {program.cluster} {WORDS} "
                            f"{program.results} {model} {schedule} {int(traced)}"
                            for name, program, model, schedule, traced in requests))
        for _ in requests:
            yield self.read()

    def read(self):
        answer = Answer()
        for line in self.process.stdout:
            word, _, rest = line.rstrip("\n").partition(" ")
            if word == "answer":
                decided, points, _, races, _ = rest.split()
                answer.decided, answer.points, answer.race_count = decided == "1", int(points), int(races)
                return answer
            if word == "race":
                a, thread, b, other, is_strong, place = rest.split(" ", 5)
                answer.races.append((int(a), thread, int(b), other, is_strong == "1", place))
            elif word == "fault":
                answer.fault = rest.replace(pathlib.Path(self.folder.name).name + "/", "")
            elif word == "memory":
                answer.memory = rest
            elif word == "error":
                raise RuntimeError(rest)
            else:
                answer.trace.append(line.rstrip())
        raise RuntimeError("judge_run has ended")
