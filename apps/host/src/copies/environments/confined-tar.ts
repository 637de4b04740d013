import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'

/**
 * The `tar` of this machine over a tree that is not to be trusted: it sees nothing but its own programs, read-only, and the
 * tree at `/disk`, has a network and processes of its own, makes no device, and cannot leave whatever names and links say.
 * The tree is the current directory, which no name leads to: a folder on the way may hide it from here.
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

/** Packs the names that it is given, each ended by NUL, with nothing that they lead to. */
export function startPacking(): ChildProcess {
  const names = ['--no-recursion', '--null', '--verbatim-files-from', '--files-from=-']
  const form = ['--format=posix', '--pax-option=delete=atime,delete=ctime', '--numeric-owner', '--sparse']
  return startTar('ro', {
    flags: ['--create', '--directory=/disk', ...form, ...attributes, '--file=-', ...names],
    stdio: ['pipe', 'inherit', 'pipe'],
  })
}

/** A word about anything but the time means that not all of it is as the tar says. */
export function startUnpacking(): ChildProcess {
  const owners = ['--numeric-owner', '--same-owner', '--preserve-permissions']
  return startTar('rw', {
    flags: ['--extract', '--directory=/disk', ...owners, ...attributes, '--warning=no-timestamp', '--file=-'],
    stdio: ['pipe', 'ignore', 'pipe'],
  })
}
