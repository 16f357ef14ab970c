"""Fixtures of the tests of the package: it as pip installs it, and a session that listens."""
import os
import shutil
import subprocess

import pytest

from support import places
from support.listening import Listening
from support.pythons import pythons

# Threads of OpenMP that wait leave their processor to the other tests. Those that spin make the tests of OpenMP take three
# times as long; what spinning does has tests of its own (test_running_known.py).
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

# The oldest and the newest, where a difference between versions is not to be expected.
ENDS = list(dict.fromkeys(pythons()[:1] + pythons()[-1:]))


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """installed(python): a virtual environment that has the package as pip puts it there."""
    made = {}

    def install(python):
        if python.short not in made:
            folder = tmp_path_factory.mktemp("installed-%s" % python.short) / "venv"
            subprocess.run([python.base, "-m", "venv", "--without-pip", str(folder)], check=True)
            path = folder / "bin" / "python"
            site = subprocess.run([str(path), "-c", "import sysconfig; print(sysconfig.get_path('platlib'))"],
                                  stdout=subprocess.PIPE, check=True).stdout.decode().strip()
            for entry in os.listdir(places.PACKAGES):
                source = places.PACKAGES / entry
                (shutil.copytree if source.is_dir() else shutil.copy)(source, os.path.join(site, entry))
            os.symlink(places.LIBDIR, folder / "lib" / "pinsight")
            os.symlink(places.COMMAND, folder / "bin" / "pinsight")
            made[python.short] = str(path)
        return made[python.short]
    return install


@pytest.fixture(params=ENDS or [None], ids=str)
def end(request):
    return request.param or places.missing("a CPython that an extension was built for")


@pytest.fixture
def listening(world_with_daemon, tmp_path):
    return Listening(world_with_daemon, tmp_path / "trace")
