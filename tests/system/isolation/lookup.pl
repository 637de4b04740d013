#!/usr/bin/perl
# Asks a DNS server for the IPv4 address of a name. usage: lookup.pl SERVER NAME
use strict;
use warnings;
use Socket;

my ($server, $name) = @ARGV;
$SIG{ALRM} = sub { print "no answer\n"; exit 1 };
alarm 3;
my $question = join('', map { pack('C/a*', $_) } split /\./, $name) . "\0" . pack('n2', 1, 1);
socket(my $socket, AF_INET, SOCK_DGRAM, 0) or die "socket: $!\n";
connect($socket, pack_sockaddr_in(53, inet_aton($server))) or die "connect: $!\n";
syswrite($socket, pack('n6', 4711, 0x0100, 1, 0, 0, 0) . $question);
sysread($socket, my $answer, 2048) or die "read: $!\n";
my $answers = unpack('x6 n', $answer);
print $answers == 0 ? "no address\n" : inet_ntoa(substr($answer, -4)) . "\n";
