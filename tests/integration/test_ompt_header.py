"""src/tracer/openmp/ompt.h, the domain's own form of OMPT's interface, against the omp-tools.h of LLVM."""
import glob
import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from support import places

OURS = places.ROOT / "src" / "tracer" / "openmp" / "ompt.h"
FOLDERS = ("/usr/lib/llvm-*/lib/clang/*/include", "/usr/lib*/clang/*/include", "/usr/local/lib/clang/*/include")


@pytest.fixture(scope="module")
def theirs():
    found = sorted(path for folder in FOLDERS for path in glob.glob(folder + "/omp-tools.h"))
    return found[-1] if found else places.missing("LLVM's omp-tools.h (Debian: libomp-dev)")


def values(tmp_path, *options):
    """What a compiler makes of our enumerators and structures: {name: value}, {name: [size, offsets…]}."""
    text = OURS.read_text()
    names = re.findall(r"^    (ompt_\w+) = ", text, re.M)
    assert len(names) > 80
    shapes = {"ompt_frame_t": ("exit_frame", "enter_frame", "exit_frame_flags", "enter_frame_flags"), "ompt_data_t": ("ptr",),
              "ompt_start_tool_result_t": ("initialize", "finalize", "tool_data"), "ompt_id_t": (), "ompt_wait_id_t": (),
              "ompt_dependence_t": ("variable", "dependence_type")}
    lines = ['printf("%s %%lld\\n", (long long)(int)%s);' % (name, name) for name in names]
    for name, members in shapes.items():
        lines.append('printf("%s %%zu\\n", sizeof(%s));' % (name, name))
        lines += ['printf("%s.%s %%zu\\n", offsetof(%s, %s));' % (name, member, name, member) for member in members]
    source, program = tmp_path / "values.c", tmp_path / "values"
    source.write_text("#include <stddef.h>\n#include <stdio.h>\n#include \"%s\"\nint main(void) {\n%s\n}\n"
                      % (OURS, "\n".join(lines)))
    subprocess.run(["cc", *options, str(source), "-o", str(program)], check=True)
    return subprocess.run([str(program)], stdout=subprocess.PIPE, check=True).stdout.decode()


def test_values_are_those_of_llvm(theirs, tmp_path):
    assert values(tmp_path) == values(tmp_path, '-DPINSIGHT_OMP_TOOLS_H="%s"' % theirs)


def test_callbacks_have_the_types_of_llvm(theirs):
    """The sources assign each callback to a constant of its type: with LLVM's types, the compiler has nothing to say."""
    commands = [one for one in json.loads((places.BUILD / "compile_commands.json").read_text())
                if Path(one["file"]).parent == OURS.parent]
    assert len(commands) >= 18
    words = [word for word in shlex.split(commands[0]["command"]) if word.startswith(("-I", "-D", "-std", "-W"))]
    done = subprocess.run(["cc", "-fsyntax-only", "-Werror", *words, '-DPINSIGHT_OMP_TOOLS_H="%s"' % theirs,
                           *sorted({one["file"] for one in commands})], cwd=commands[0]["directory"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout.decode()
