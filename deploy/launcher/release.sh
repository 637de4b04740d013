# Builds a release from the checkout and puts it into the data directory, from which everything runs. Sourced by the
# launcher.
# shellcheck shell=bash

# The documentation shows reference screenshots of the browser tests.
readonly -a built_from=(apps docs-site packages deploy images tests/browser/reference
  package.json package-lock.json tsconfig.json tsconfig.base.json)

# Changes when any source file does; uses names, sizes and times only, so that it is fast.
source_key() {
  (cd "$repository" && find "${built_from[@]}" \( -name node_modules -o -name dist -o -name .astro \) -prune -o \
    -type f -printf '%p %s %T@\n' | LC_ALL=C sort | sha256sum | cut -c 1-16)
}

modules_folder() {
  printf '%s/build/%s' "$cache" "$(cd "$repository" && sha256sum package-lock.json | cut -c 1-16)"
}

# The earlier release that was built from this same source, if it still exists.
built_release() {
  local name
  name=$(cat "$data_dir/releases/.source-$(source_key)" 2>/dev/null) || return 1
  [ -f "$data_dir/releases/$name/release.json" ] && printf '%s' "$name"
}

# npm keeps everything it downloads, unchanged.
npm_cache_bytes() {
  local bytes
  bytes=$(du -sb "$npm_cache" 2>/dev/null | cut -f 1) || true
  printf '%s' "${bytes:-0}"
}

# Dependencies by the lock file, in a separate folder: a checkout is only read, and one lock is installed once.
install_modules() {
  local folder before file
  folder=$(modules_folder)
  mkdir -p "$folder" "$npm_cache"
  exec 8>"$folder.lock"
  flock 8
  [ ! -f "$folder/.complete" ] || return 0
  use_node
  while IFS= read -r file; do
    mkdir -p "$folder/${file%/*}"
    cp "$repository/$file" "$folder/$file"
  done < <(cd "$repository" && find package.json package-lock.json apps docs-site packages tests -maxdepth 2 -name 'package*.json' \
    -not -path '*/node_modules/*' -printf './%p\n')
  echo "progress: npm ci"
  before=$(npm_cache_bytes)
  (cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
  echo "downloaded: $(($(npm_cache_bytes) - before))"
  touch "$folder/.complete"
}

build_release() {
  local folder key release
  key=$(source_key)
  folder=$(modules_folder)
  exec 8>"$folder.lock"
  flock 8
  use_node
  echo "progress: bundling"
  find "$folder" -type f -not -path '*/node_modules/*' -not -name .complete -delete
  (cd "$repository" && tar -cf - --exclude=node_modules --exclude=dist --exclude=.astro "${built_from[@]}" tests/package.json) |
    tar -xf - -C "$folder"
  mkdir -p "$data_dir/releases"
  release=$(cd "$folder" && node deploy/build/build.ts --out "$data_dir/releases" | tail -n 1)
  [ -f "$release/release.json" ]
  basename "$release" | tee "$data_dir/run/prepared-release" >"$data_dir/releases/.source-$key"
}

# Dependencies and build, unless this source was built before. Leaves the release's name in run/prepared-release.
prepare_release() {
  if built_release >"$data_dir/run/prepared-release"; then
    echo "progress: unchanged"
  else
    install_modules
    build_release
  fi
  compile_programs "$(<"$data_dir/run/prepared-release")"
}

# Loads each program once, as root, so that Node keeps what it compiled where only root can write: a start takes a quarter
# less time. A program that can't be loaded on this machine fails here, while the earlier release still runs.
compile_programs() {
  local folder=$data_dir/releases/$1 compiled=$data_dir/compiled/$1 program
  [ ! -d "$compiled" ] || return 0
  rm -rf "$compiled.new"
  for program in host server gateway egress names; do
    NODE_COMPILE_CACHE=$compiled.new "$folder/node/bin/node" "$folder/$program/main.js" --version >/dev/null || {
      echo "The program $program of the new release can't be loaded on this machine."
      return 1
    }
  done
  chmod -R a+rX "$compiled.new"
  mv -T "$compiled.new" "$compiled"
}

# Makes a release current, atomically; the previous ones stay. True if it changed.
switch_release() {
  local name=$1 before
  before=$(basename "$(readlink "$data_dir/current" 2>/dev/null || true)")
  mkdir -p "$data_dir/guests"
  # Guests outlive releases: a sandbox's programs are removed only when nothing refers to them.
  local guest
  for guest in "$data_dir/releases/$name/guest"/guest-*; do
    [ -d "$data_dir/guests/${guest##*/}" ] || cp -al "$guest" "$data_dir/guests/.${guest##*/}.new"
    [ ! -d "$data_dir/guests/.${guest##*/}.new" ] || mv -T "$data_dir/guests/.${guest##*/}.new" "$data_dir/guests/${guest##*/}"
    set_environment THREADBOX_GUEST "$data_dir/guests/${guest##*/}"
  done
  set_environment NODE_COMPILE_CACHE "$data_dir/compiled/$name"
  [ "$before" != "$name" ] || return 1
  ln -sfn "releases/$name" "$data_dir/current.new"
  mv -T "$data_dir/current.new" "$data_dir/current"
}

# prune_releases RELEASE…: removes all but these.
prune_releases() {
  local folder name
  for folder in "$data_dir/releases"/*/ "$data_dir/compiled"/*/; do
    name=$(basename "$folder")
    case " $* " in
      *" $name "*) ;;
      *) rm -rf "$folder" ;;
    esac
  done
  for folder in "$data_dir/releases"/.{schema,environment}-*; do
    name=${folder##*/.}
    [ -d "$data_dir/releases/${name#*-}" ] || rm -f "$folder"
  done
  for folder in "$data_dir/releases"/.building-*; do
    [ ! -d "$folder" ] || rm -rf "$folder"
  done
}

# set_environment NAME VALUE: one line of threadbox.env; other lines stay as they are.
set_environment() {
  local file=$data_dir/threadbox.env
  [ -f "$file" ] || install -m 0600 /dev/null "$file"
  grep -v "^$1=" "$file" >"$file.new" || true
  printf '%s=%s\n' "$1" "$2" >>"$file.new"
  chmod 0600 "$file.new"
  mv "$file.new" "$file"
}

get_environment() { sed -n "s/^$1=//p" "$data_dir/threadbox.env" 2>/dev/null | tail -n 1 || true; }
