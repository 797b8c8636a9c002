#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Builds the wheel of python/, installs it in a folder of its own, and runs test_simtcheck.py with it.
# test_wheel.sh SOURCE_FOLDER SIMTCHECK
set -eu
source=$1 simtcheck=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Another python3 may be first on the PATH than that of the Debian packages.
for python in python3 /usr/bin/python3 none; do
    "$python" -c 'import numpy, pytest, wheel, pip' 2>/dev/null && break
done
if [ "$python" = none ]; then
    echo "no python3 has numpy, pytest, pip and wheel: install python3-numpy, python3-pytest and python3-pip" >&2
    exit 1
fi
mkdir "$folder/source"
cp "$source"/python/{pyproject.toml,simtcheck.py} "$folder/source" # and not what a build left there
export PIP_ROOT_USER_ACTION=ignore
"$python" -m pip wheel --quiet --no-index --no-deps --no-build-isolation -w "$folder/wheels" "$folder/source"
"$python" -m pip install --quiet --no-index --no-deps --target "$folder/installed" "$folder"/wheels/simtcheck-*.whl
PYTHONPATH="$folder/installed" SIMTCHECK="$simtcheck" PYTHONDONTWRITEBYTECODE=1 \
    "$python" -m pytest -q -p no:cacheprovider "$source/tests/python/test_simtcheck.py"
