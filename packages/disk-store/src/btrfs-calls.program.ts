/**
 * A perl program that makes calls of btrfs for as long as its standard input is open, one after another. Perl is part of
 * Debian’s base system, and Node has no ioctl. A request is a line of fields separated by tabs; the response is a line
 * with `ok` and the results, or `no` and the system’s text. Numbers and structures are those of linux/btrfs.h and
 * linux/btrfs_tree.h; they are the same on x86_64 and arm64.
 */
export const btrfsCallsProgram = String.raw`
use strict; use warnings; $| = 1;

sub opened { my ($path) = @_; open(my $file, '<', $path) or die "open $path: $!\n"; return $file }
# Some calls fill their last argument.
sub control {
  my ($file, $call, $what) = @_; my $none = 0;
  my $result = @_ > 3 ? ioctl($file, $call, $_[3]) : ioctl($file, $call, $none);
  defined $result or die "$what: $!\n";
}
# Returns when the transaction of this moment would survive a power loss.
sub commit {
  my ($file) = @_; my $transaction = pack('Q', 0);
  control($file, 0x80089418, 'start of the commit', $transaction);
  control($file, 0x40089416, 'commit', $transaction);
}
sub group { my ($level, $number) = split m{/}, $_[0]; return ($level << 48) | $number }
sub group_name { return ($_[0] >> 48) . '/' . ($_[0] & 0xffffffffffff) }

# Calls back with each item of a tree: object, type, offset, data. The key of the next search follows the last item.
sub search {
  my ($file, $tree, $from, $to, $transaction, $each) = @_;
  my ($object, $type, $offset) = @$from;
  while (1) {
    my $order = pack('Q7 L4 Q4', $tree, $object, $to->[0], $offset, $to->[2], $transaction, ~0, $type, $to->[1], 4096, 0, 0, 0, 0, 0);
    $order .= "\0" x (4096 - length $order);
    control($file, 0xD0009411, 'tree search', $order);
    my $count = unpack('x64 L', $order);
    return unless $count;
    my $at = 104;
    for (1 .. $count) {
      (undef, $object, $offset, $type, my $length) = unpack('Q3 L2', substr($order, $at, 32));
      $each->($object, $type, $offset, substr($order, $at + 32, $length));
      $at += 32 + $length;
    }
    if ($offset < ~0) { $offset += 1 }
    elsif ($type < 255) { ($type, $offset) = ($type + 1, 0) }
    elsif ($object < ~0) { ($object, $type, $offset) = ($object + 1, 0, 0) }
    else { return }
  }
}

my %calls = (
  sync => sub { control(opened($_[0]), 0x9408, 'sync'); return },
  commit => sub { commit(opened($_[0])); return },
  volume => sub {
    my $facts = "\0" x 504;
    control(opened($_[0]), 0x81F8943C, 'subvolume info', $facts);
    return (unpack('Q', $facts), unpack('x280 Q', $facts));
  },
  snapshot => sub {
    my ($from, $to, $group, $read_only) = @_;
    my ($parent, $name) = $to =~ m{^(.*)/([^/]+)$} or die "snapshot: no name\n";
    my $source = opened($from);
    my $inherit = $group eq '' ? '' : pack('Q9', 0, 1, 0, 0, 0, 0, 0, 0, 0) . pack('Q', group($group));
    my $flags = ($read_only ? 2 : 0) | ($inherit eq '' ? 0 : 4);
    my $order = pack('q Q2', fileno($source), 0, $flags) . ($inherit eq '' ? pack('Q2', 0, 0) : pack('Q P', length($inherit), $inherit));
    $order .= pack('Q2', 0, 0) . pack('a4040', $name);
    control(opened($parent), 0x50009417, 'snapshot', $order);
    return;
  },
  # Returns when the deletion would survive a power loss.
  delete => sub {
    my ($parent, $name) = $_[0] =~ m{^(.*)/([^/]+)$} or die "delete: no name\n";
    my $directory = opened($parent);
    my $order = pack('q a4088', 0, $name);
    control($directory, 0x5000940F, 'delete', $order);
    commit($directory);
    return;
  },
  # Whether a volume of this number exists, including one that was deleted and is not cleaned up.
  exists => sub {
    my ($path, $id) = @_; my $found = 0;
    search(opened($path), 1, [$id, 132, 0], [$id, 132, ~0], 0, sub { $found = 1 });
    return $found;
  },
  # Sums up the file extents that this transaction or a later one wrote.
  written => sub {
    my ($path, $since) = @_; my $sum = 0;
    search(opened($path), 0, [0, 0, 0], [~0, 255, ~0], $since, sub {
      my ($object, $type, $offset, $data) = @_;
      return if $type != 108;
      my ($generation, $ram, undef, undef, undef, $kind) = unpack('Q2 C2 S C', $data);
      return if $generation < $since;
      $sum += $kind == 0 ? $ram : unpack('x45 Q', $data);
    });
    return $sum;
  },
  groups => sub {
    my $file = opened($_[0]); my (%groups, %living);
    search($file, 8, [0, 240, 0], [~0, 246, ~0], 0, sub {
      my ($object, $type, $offset, $data) = @_;
      if ($type == 242) { @{$groups{$offset}}{qw(referenced exclusive)} = unpack('x8 q x8 q', $data) }
      if ($type == 244) { @{$groups{$offset}}{qw(flags max_referenced max_exclusive)} = unpack('Q3', $data) }
      if ($type == 246 && $object < $offset) { push @{$groups{$object}{parents}}, group_name($offset) }
    });
    search($file, 1, [0, 144, 0], [~0, 144, ~0], 0, sub { $living{$_[0]} = 1 if $_[1] == 144 });
    return map {
      my $one = $groups{$_}; my $flags = $one->{flags} // 0;
      my $limit = $flags & 1 ? $one->{max_referenced} : $flags & 2 ? $one->{max_exclusive} : '';
      my $is_stale = $_ >> 48 == 0 && $_ != 5 && !$living{$_} ? 1 : 0;
      join(' ', group_name($_), $one->{referenced} // 0, $one->{exclusive} // 0, $limit eq '' ? '-' : $limit, join(',', @{$one->{parents} // []}) || '-', $is_stale)
    } sort { $a <=> $b } grep { defined $groups{$_}{referenced} } keys %groups;
  },
  create_group => sub { control(opened($_[0]), 0x4010942A, 'create group', pack('Q2', 1, group($_[1]))); return },
  destroy_group => sub { control(opened($_[0]), 0x4010942A, 'destroy group', pack('Q2', 0, group($_[1]))); return },
  assign_group => sub { control(opened($_[0]), 0x40189429, 'assign group', pack('Q3', 1, group($_[1]), group($_[2]))); return },
  limit_group => sub {
    my ($path, $group, $bytes, $is_exclusive) = @_;
    my ($flags, $referenced, $exclusive) = $is_exclusive ? (2, 0, $bytes) : (1, $bytes, 0);
    control(opened($path), 0x8030942B, 'limit group', pack('Q6', group($group), $flags, $referenced, $exclusive, 0, 0));
    return;
  },
);

while (my $line = <STDIN>) {
  chomp $line;
  my ($name, @arguments) = split /\t/, $line, -1;
  my @results = eval { $calls{$name} ? $calls{$name}->(@arguments) : die "no such call\n" };
  my $problem = $@;
  chomp $problem; $problem =~ s/[\t\n]/ /g;
  print $problem eq '' ? join("\t", 'ok', @results) . "\n" : "no\t$problem\n";
}
`
