import { execFile } from 'node:child_process'

/**
 * How user IDs of a sandbox relate to those of the machine. gVisor’s kernel always runs in a user namespace of its own, so
 * it has no capability in the machine’s. `shifted`: its IDs are no account’s, and its capabilities apply to nothing but the
 * files that it was given. `machine`: its IDs are the machine’s, so its root is the user root, without root’s capabilities.
 */
export type SandboxIds = (typeof sandboxIds)[number]
export const sandboxIds = ['shifted', 'machine'] as const

/**
 * IDs from 2³¹ belong to no account and no range of `/etc/subuid`: programs that take them for negative numbers keep
 * distributions from assigning them. All sandboxes have the same ones, because memory of one is restored as another, and an
 * image holds its mapping. The highest ID is no ID. Inside, 2³¹ − 1 and higher cannot own a file.
 */
export const shiftedIds = { containerID: 0, hostID: 2 ** 31, size: 2 ** 31 - 1 }

/**
 * Where a boot’s disk is mounted with shifted IDs, in a mount namespace that ends with the start. Without a capability
 * over the machine’s files, gVisor reaches a path only if everyone may pass all directories above it, which is not so where
 * disks are. No installation has its data below this one.
 */
export const shiftedRootPath = '/dev/shm'

/** What a boot sees of the machine’s files. */
export type SharedPaths = {
  rootPath: string
  /** Files and directories that it sees read-only; they stay where they are. */
  files: readonly string[]
  /** A directory that it sees in another place, which exists. */
  helpers?: { directory: string; place: string } | undefined
}

/** The exit code if no user namespace could be created, and if IDs could not be shifted: the command was not started. */
export const shiftExitCodes = { noNamespace: 118, notShifted: 117 } as const

/** The command line that runs `command` in a mount namespace in which these paths have shifted IDs. */
export function withShiftedIds(paths: SharedPaths, command: readonly string[]): [program: string, ...string[]] {
  const { hostID, size } = shiftedIds
  // The numbers of the other calls are the same on all architectures.
  const unshareNumber = process.arch === 'arm64' ? 97 : 272
  const numbers = [unshareNumber, hostID, size].map(String)
  const { rootPath, files, helpers } = paths
  const moved = [helpers?.directory ?? '', helpers?.place ?? '']
  return ['perl', '-e', program, ...numbers, shiftedRootPath, ...moved, rootPath, ...files, '--', ...command]
}

/** Tells whether IDs can be shifted on this machine, for files like these. */
export async function checkShiftedIds(
  paths: SharedPaths,
): Promise<{ state: 'shifted' } | { state: keyof typeof shiftExitCodes; reason: string }> {
  const [perl, ...args] = withShiftedIds(paths, ['/bin/true'])
  const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<typeof checkShiftedIds>>>()
  execFile(perl, args, { timeout: checkTimeoutMs }, (error, _output, errorOutput) => {
    if (error === null) return resolve({ state: 'shifted' })
    const reason = errorOutput.trim().split('\n').at(-1) || error.message
    resolve({ state: error.code === shiftExitCodes.noNamespace ? 'noNamespace' : 'notShifted', reason })
  })
  return await promise
}

const checkTimeoutMs = 10_000

/**
 * For the perl of Debian’s base system, which can make system calls; `mount` can do this from version 2.39. The kernel
 * takes a mapping from a user namespace, in which a child waits. The mounts end with the namespace, which has no name.
 */
const program = `
use strict;
my ($unshare, $host, $size, $target, $helpers, $place, $root, @rest) = @ARGV;
my (@files, @command);
while (@rest) { my $next = shift @rest; if ($next eq '--') { @command = @rest; last } push @files, $next }
sub stop { my ($code, $what) = @_; print STDERR "$what: $!\\n"; exit $code }
sub call { my ($what, @arguments) = @_; my $result = syscall(shift @arguments, @arguments); stop(${shiftExitCodes.notShifted}, $what) if $result < 0; $result }
if (grep { index($_, "$target/") >= 0 } $root, @files, @command) { $! = 16; stop(${shiftExitCodes.notShifted}, $target) }

pipe(my $ready, my $tell) && pipe(my $hold, my $release) or stop(${shiftExitCodes.notShifted}, 'pipe');
my $child = fork() // stop(${shiftExitCodes.notShifted}, 'fork');
if ($child == 0) {
  close $ready; close $release;
  my $failed = syscall($unshare + 0, 0x10000000) < 0 ? $! + 0 : 0;
  syswrite $tell, pack('L', $failed); sysread $hold, my $end, 1; exit 0;
}
close $tell; close $hold;
sysread($ready, my $answer, 4) == 4 or stop(${shiftExitCodes.notShifted}, 'the child');
if ($! = unpack('L', $answer)) { stop(${shiftExitCodes.noNamespace}, 'user namespace') }
for my $map ('uid_map', 'gid_map') {
  my $file;
  open($file, '>', "/proc/$child/$map") && syswrite($file, "0 $host $size") && close($file)
    or stop(${shiftExitCodes.notShifted}, $map);
}
open(my $user, '<', "/proc/$child/ns/user") or stop(${shiftExitCodes.notShifted}, 'ns/user');
close $release; waitpid $child, 0;

my ($slash, $none) = ("/\\0", "\\0");
call('mount namespace', $unshare + 0, 0x20000);
my $slave = pack('Q4', 0, 0, 1 << 19, 0);
call('propagation', 442, -1, $slash, 0x8000, $slave, 32);
my $idmap = pack('Q4', 0x100000, 0, 0, fileno $user);
for my $source ($root, @files, $helpers eq '' ? () : $helpers) {
  my $at = $source eq $root ? $target : $source eq $helpers ? $place : $source;
  my ($from, $to) = ("$source\\0", "$at\\0");
  my $tree = call("open $source", 428, -100, $from, 02000001);
  call("shift the IDs of $source", 442, $tree, $none, 0x1000, $idmap, 32);
  call("mount $source", 429, $tree, $none, -100, $to, 4);
}
exec { $command[0] } @command;
stop(1, $command[0]);
`
