#!/usr/bin/perl
# One attempt to reach an address. Prints "reached" when a reply came back (for frames: "sent"), else why not.
# usage: probe.pl tcp|udp|icmp ADDRESS PORT TOKEN            (IPv6 if the address is one, with %interface)
#        probe.pl hold ADDRESS PORT TOKEN                   (repeats the token for each line of input)
#        probe.pl frame ADDRESS PORT TOKEN SOURCE MAC        (a crafted Ethernet frame, as root can send)
# Needs only the perl of Debian's base system, so it runs on any machine and in any sandbox.
use strict;
use warnings;
use Socket qw(:DEFAULT :addrinfo IPPROTO_ICMP IPPROTO_ICMPV6 IPPROTO_TCP SOL_SOCKET SO_RCVTIMEO);

my ($kind, $address, $port, $token, $source, $mac) = @ARGV;
$SIG{ALRM} = sub { print "no answer\n"; exit 1 };
alarm 2;

sub fail { my ($what) = @_; print "$what: $!\n"; exit 1 }
sub reached { print "reached\n"; exit 0 }

sub checksum {
    my ($data) = @_;
    $data .= "\0" if length($data) % 2;
    my $sum = unpack('%32n*', $data);
    $sum = ($sum >> 16) + ($sum & 0xffff) while $sum >> 16;
    return ~$sum & 0xffff;
}

if ($kind eq 'frame') {
    my $payload = pack('n4', 40000, $port, 8 + length $token, 0) . $token;
    my $make = sub { pack('C2n3C2na4a4', 0x45, 0, 20 + length $payload, 4711, 0, 64, 17, $_[0], inet_aton($source), inet_aton($address)) };
    my $packet = $make->(checksum($make->(0))) . $payload;
    my $frame = pack('H12', $mac =~ s/://gr) . "\x02\0\0\0\0\x01" . pack('n', 0x0800) . $packet;
    open(my $index, '<', '/sys/class/net/eth0/ifindex') or fail('eth0');
    chomp(my $interface = <$index>);
    socket(my $socket, 17, SOCK_RAW, 0) or fail('socket');
    send($socket, $frame, 0, pack('S n i S C C a8', 17, 0x0800, $interface, 1, 0, 6, "\0" x 8)) or fail('send');
    print "sent\n";
    exit 0;
}

my ($error, @found) = getaddrinfo($address, $port, { flags => AI_NUMERICHOST, socktype => SOCK_STREAM });
if ($error) { print "address: $error\n"; exit 1 }
my ($family, $target) = @{ $found[0] }{qw(family addr)};
my $isV6 = $family == AF_INET6;

if ($kind eq 'hold') {
    alarm 0;
    socket(my $socket, $family, SOCK_STREAM, 0) or fail('socket');
    connect($socket, $target) or fail('connect');
    $| = 1;
    print "connected\n";
    while (<STDIN>) {
        alarm 2;
        syswrite($socket, "$token\n") && sysread($socket, my $answer, 1024) or fail('broken');
        print "reached\n";
        alarm 0;
    }
    exit 0;
} elsif ($kind eq 'tcp') {
    socket(my $socket, $family, SOCK_STREAM, 0) or fail('socket');
    connect($socket, $target) or fail('connect');
    syswrite($socket, "$token\n") or fail('write');
    sysread($socket, my $answer, 1024) or fail('read');
    $answer =~ /\Q$token\E/ and reached();
} elsif ($kind eq 'udp') {
    socket(my $socket, $family, SOCK_DGRAM, 0) or fail('socket');
    connect($socket, $target) or fail('connect');
    syswrite($socket, $token) or fail('write');
    sysread($socket, my $answer, 1024) or fail('read');
    $answer =~ /\Q$token\E/ and reached();
} elsif ($kind eq 'icmp') {
    socket(my $socket, $family, SOCK_RAW, $isV6 ? IPPROTO_ICMPV6 : IPPROTO_ICMP) or fail('socket');
    my $make = sub { pack('C2n3', $isV6 ? 128 : 8, 0, $_[0], $$ & 0xffff, 1) . $token };
    send($socket, $make->($isV6 ? 0 : checksum($make->(0))), 0, $target) or fail('send');
    while (defined recv($socket, my $answer, 2048, 0)) {
        my $message = $isV6 ? $answer : substr($answer, 20);
        my $type = unpack('C', $message);
        reached() if $type == ($isV6 ? 129 : 0) && $message =~ /\Q$token\E/;
        if (!$isV6 && $type == 3 && $message =~ /\Q$token\E/) { print "refused\n"; exit 1 }
    }
}
print "wrong answer\n";
exit 1;
