#!/usr/bin/perl
# A host that replies to every client: echoes on TCP and UDP, IPv4 and IPv6, and with --sniff reports every token that
# any frame on its interfaces carries, regardless of the protocol and the claimed sender.
# usage: test-host.pl [--sniff] [--bind ADDRESS,...] PORT...      prints "ready", then "seen TOKEN" and "got TOKEN"
use strict;
use warnings;
use Socket qw(:DEFAULT IPPROTO_IPV6 IPV6_V6ONLY pack_sockaddr_in6);

$| = 1;
$SIG{PIPE} = 'IGNORE';
my $sniff = @ARGV && $ARGV[0] eq '--sniff' ? shift @ARGV : undef;
my $bound = @ARGV && $ARGV[0] eq '--bind' ? (shift @ARGV, shift @ARGV)[1] : undef;
my @addresses = defined $bound ? split(/,/, $bound) : ('0.0.0.0', '::');
my (%role, %handle);

sub watch { my ($socket, $role) = @_; $role{ fileno $socket } = $role; $handle{ fileno $socket } = $socket }
sub forget { my ($socket) = @_; delete $role{ fileno $socket }; delete $handle{ fileno $socket }; close $socket }

for my $port (@ARGV) {
    for my $type (SOCK_STREAM, SOCK_DGRAM) {
        for my $address (@addresses) {
            my $family = $address =~ /:/ ? AF_INET6 : AF_INET;
            socket(my $socket, $family, $type, 0) or next;
            setsockopt($socket, SOL_SOCKET, SO_REUSEADDR, 1);
            setsockopt($socket, IPPROTO_IPV6, IPV6_V6ONLY, 1) if $family == AF_INET6;
            my $packed = Socket::inet_pton($family, $address);
            my $name = $family == AF_INET ? pack_sockaddr_in($port, $packed) : pack_sockaddr_in6($port, $packed);
            # A namespace without IPv6 has no place for the second of the wildcard addresses.
            unless (bind($socket, $name)) { die "bind $address $port: $!\n" if $address ne '::'; next }
            listen($socket, 64) if $type == SOCK_STREAM;
            watch($socket, $type == SOCK_STREAM ? 'listen' : 'udp');
        }
    }
}
if ($sniff) {
    socket(my $socket, 17, SOCK_RAW, unpack('S', pack('n', 3))) or die "sniff: $!\n";
    watch($socket, 'sniff');
}
print "ready\n";

while (1) {
    my $readable = '';
    vec($readable, $_, 1) = 1 for keys %handle;
    select($readable, undef, undef, undef);
    for my $number (grep { vec($readable, $_, 1) } keys %handle) {
        my $socket = $handle{$number} or next;
        if ($role{$number} eq 'listen') {
            if (accept(my $client, $socket)) { watch($client, "tcp") }
        } elsif ($role{$number} eq 'udp') {
            my $from = recv($socket, my $data, 2048, 0);
            next unless defined $from;
            report('got', $data);
            send($socket, "echo $data", 0, $from);
        } elsif ($role{$number} eq 'tcp') {
            if (sysread($socket, my $data, 2048)) { report('got', $data); syswrite($socket, "echo $data") }
            else { forget($socket) }
        } else {
            recv($socket, my $frame, 65535, 0);
            report('seen', $frame);
        }
    }
}

sub report { my ($word, $data) = @_; print "$word $1\n" while $data =~ /(probe-[0-9a-f]{16})/g }
