# What a program could do that replaced a sandbox's kernel (gVisor's sentry), or a control that is root of the machine.
# Usage: replaced-sentry.pl ROLE SENTRY DATA DAEMON OTHER OTHERDISK
# Roles: machine (the control), sentry, visible (the sentry, but in the machine's PID namespace), nested (the sentry, in
# a user namespace that it made). Prints one line per attempt: its name, a tab, and "done" or the error.
use strict;
use warnings;
use Socket;

my ($role, $sentry, $data, $daemon, $other, $otherDisk) = @ARGV;
my %numbers = (
  x86_64 => { setns => 308, unshare => 272, prctl => 157, capset => 126, setresuid => 117, setresgid => 119,
    setgroups => 116, mount => 165, openat => 257, mkdirat => 258, mknodat => 259, fchdir => 81, ptrace => 101 },
  aarch64 => { setns => 268, unshare => 97, prctl => 167, capset => 91, setresuid => 147, setresgid => 149,
    setgroups => 159, mount => 40, openat => 56, mkdirat => 34, mknodat => 33, fchdir => 50, ptrace => 117 },
);
chomp(my $machine = `uname -m`);
my %number = (%{ $numbers{$machine} }, pidfd_open => 434, pidfd_getfd => 438);
my ($directory, $path) = (0200000, 010000000); # O_DIRECTORY (its bit differs on ARM, where it is not used) and O_PATH

sub call {
  my ($name, @arguments) = @_;
  return syscall($number{$name}, @arguments);
}
sub must { my ($name) = @_; my $result = &call; die "$name: $!" if $result < 0; return $result }
sub attempt {
  my ($name, $work) = @_;
  $! = 0;
  my $isDone = $work->();
  my $error = "$!";
  print "$name\t", $isDone ? 'done' : $error, "\n";
}
sub text { return "$_[0]\0" }

# What it keeps from before: handles of the machine that it could only have by a mistake, and the sentry's own files.
my $machineRoot = must('openat', -100, text('/'), $path);
my $machineProcesses = must('openat', -100, text('/proc'), $path);
my $machineData = must('openat', -100, text($data), $path);
my $machineDisk = must('openat', -100, text($otherDisk), $path);
open(my $machineNetwork, '<', '/proc/self/ns/net') or die;
open(my $otherUsers, '<', "/proc/$other/ns/user") or die;
open(my $machineMounts, '<', '/proc/self/ns/mnt') or die;
my $disk = $role eq 'machine' ? undef : become_sentry();

attempt('read a file of the data directory', sub { open(my $file, '<', "$data/host/state.sqlite") });
attempt('connect to a socket of the daemon', sub { connects("$data/run/host.sock") });
attempt('read the disk of another sandbox', sub { open(my $file, '<', "$otherDisk/etc/shadow") });
attempt('signal the daemon', sub { kill 0, $daemon });
attempt('signal the kernel of another sandbox', sub { kill 0, $other });
attempt('trace the daemon', sub { call('ptrace', 0x4206, $daemon + 0, 0, 0) == 0 });
attempt('trace the kernel of another sandbox', sub { call('ptrace', 0x4206, $other + 0, 0, 0) == 0 });
attempt('read a file of the data directory by a handle', sub { opens($machineData, 'host/state.sqlite') });
attempt('read a secret of the machine by a handle', sub { opens($machineRoot, 'etc/shadow') });
attempt('read the environment of the daemon by a handle', sub { opens($machineProcesses, "$daemon/environ") });
attempt('read the disk of another sandbox by a handle', sub { opens($machineDisk, 'etc/shadow') });
attempt('connect to a socket of the daemon by a handle', sub { call('fchdir', $machineData) == 0 && connects('run/host.sock') });
attempt('open packets of the network', sub { socket(my $packets, 17, SOCK_RAW, 0x0300) });
attempt('mount', sub { call('mount', text('none'), text($role eq 'machine' ? '/mnt' : '/etc'), text('tmpfs'), 0, 0) == 0 });
$disk = must('openat', -100, text('/mnt'), 0) if $role eq 'machine';
attempt('make a device', sub { call('mknodat', $disk, text("device-$$"), 060600, 254 << 8) == 0 });
attempt('enter the network of the machine', sub { call('setns', fileno($machineNetwork), 0x40000000) == 0 });
attempt('enter the mounts of the machine', sub { call('setns', fileno($machineMounts), 0x20000) == 0 });
attempt('write to its own disk', sub { call('mkdirat', $disk, text("made-by-$role"), 0700) == 0 });
attempt('enter the users of another sandbox', sub { call('setns', fileno($otherUsers), 0x10000000) == 0 });

sub opens {
  my ($handle, $name) = @_;
  my $file = call('openat', $handle, text($name), 0);
  return $file >= 0;
}

sub connects {
  my ($name) = @_;
  socket(my $socket, AF_UNIX, SOCK_STREAM, 0) or return 0;
  return connect($socket, sockaddr_un($name));
}

# Joins everything that the sentry is in, and takes its user and capabilities. Returns a handle of its disk.
sub become_sentry {
  my %status;
  open(my $lines, '<', "/proc/$sentry/status") or die "status: $!";
  while (<$lines>) { $status{$1} = $2 if /^(\w+):\s+(\S+)/ }
  my $handle = must('pidfd_open', $sentry + 0, 0);
  opendir(my $files, "/proc/$sentry/fd") or die;
  my ($number) = grep { /^\d+$/ && readlink("/proc/$sentry/fd/$_") eq '/root' && -e "/proc/$sentry/fd/$_/home/user" } readdir $files;
  die 'the sentry has no handle of its disk' if !defined $number;
  my $own = must('pidfd_getfd', $handle, $number + 0, 0);
  open(my $groups, '<', "/proc/$sentry/cgroup") or die;
  for (<$groups>) {
    my ($hierarchy, $controllers, $group) = /^(\d+):([^:]*):(.*)$/ or next;
    my $file;
    print $file $$ if open($file, '>', "/sys/fs/cgroup/$controllers$group/cgroup.procs");
  }
  my @kinds = (qw(cgroup ipc uts net), $role eq 'visible' ? () : 'pid', 'mnt', 'user');
  my @namespaces = map { open(my $namespace, '<', "/proc/$sentry/ns/$_") or die "$_: $!"; $namespace } @kinds;
  must('setgroups', 0, 0);
  must('setns', fileno($_), 0) for @namespaces;
  # The PID namespace is that of children.
  if (my $child = fork()) { waitpid $child, 0; exit $? >> 8 }
  must('setresgid', 0, 0, 0);
  must('setresuid', 0, 0, 0);
  my $capabilities = hex $status{CapEff};
  must('prctl', 38, 1, 0, 0, 0);
  for my $capability (0 .. 40) { call('prctl', 24, $capability, 0, 0, 0) if !($capabilities >> $capability & 1) }
  my ($low, $high) = ($capabilities & 0xffffffff, $capabilities >> 32);
  my $header = pack('LL', 0x20080522, 0);
  my $sets = pack('L6', $low, $low, 0, $high, $high, 0);
  must('capset', $header, $sets);
  if ($role eq 'nested') {
    must('unshare', 0x10000000);
    must('unshare', 0x20000 | 0x8000000 | 0x4000000);
  }
  return $own;
}
