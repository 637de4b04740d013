import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'

/**
 * The machine's `tar` over an untrusted tree: it sees only its own programs, read-only, and the tree at `/disk`, has
 * its own network and processes, makes no device, and cannot leave the tree whatever names and links say. The tree is
 * the current directory, and is not addressed by a path: a folder on the way can be hidden from here.
 */
const confine = `
set -eu
ulimit -v 2097152
mount -t tmpfs -o mode=755,size=1m,nr_inodes=100 tmpfs /tmp
for name in usr bin lib lib64; do
  if [ -L "/$name" ]; then cp -P "/$name" "/tmp/$name"
  elif [ -d "/$name" ]; then
    mkdir "/tmp/$name"
    mount --bind "/$name" "/tmp/$name"
    mount -o remount,bind,ro,nodev,nosuid "/tmp/$name"
  fi
done
mkdir /tmp/disk
mount --no-canonicalize --bind . /tmp/disk
mount -o "remount,bind,nodev,nosuid,noexec,$1" /tmp/disk
mount -o remount,ro /tmp
shift
exec chroot /tmp /usr/bin/setpriv --no-new-privs --inh-caps=-all \\
  --bounding-set=-all,+chown,+dac_override,+fowner,+fsetid,+setfcap tar "$@"
`

/** Attributes that change what a file does; others belong to a machine. */
const attributes = ['--xattrs', '--xattrs-include=user.*', '--xattrs-include=security.capability']

const namespaces = ['--mount', '--net', '--ipc', '--uts', '--pid', '--fork', '--kill-child']

function startTar(access: 'ro' | 'rw', wanted: { flags: string[]; stdio: StdioOptions }): ChildProcess {
  return spawn('unshare', [...namespaces, '/bin/sh', '-c', confine, 'tar', access, ...wanted.flags], {
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
    stdio: wanted.stdio,
  })
}

/** Packs the names that it reads, each ended by NUL, without following links. */
export function startPacking(): ChildProcess {
  const names = ['--no-recursion', '--null', '--verbatim-files-from', '--files-from=-']
  const form = ['--format=posix', '--pax-option=delete=atime,delete=ctime', '--numeric-owner', '--sparse']
  return startTar('ro', {
    flags: ['--create', '--directory=/disk', ...form, ...attributes, '--file=-', ...names],
    stdio: ['pipe', 'inherit', 'pipe'],
  })
}

/** A message about anything except timestamps means that the result differs from the tar. */
export function startUnpacking(): ChildProcess {
  const owners = ['--numeric-owner', '--same-owner', '--preserve-permissions']
  return startTar('rw', {
    flags: ['--extract', '--directory=/disk', ...owners, ...attributes, '--warning=no-timestamp', '--file=-'],
    stdio: ['pipe', 'ignore', 'pipe'],
  })
}
