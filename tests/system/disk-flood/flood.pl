# Usage: perl flood.pl DIRECTORY KIND… : does each kind of write in turn until each had an error. Prints what ended each.
# Names are long, since tables contain them several times.
my ($directory, @kinds) = @ARGV;
my $long = 'n' x 200;
my ($setxattr) = `uname -m` =~ /^x86_64/ ? 188 : 5;
my $value = join '', map { chr(rand 256) } 1 .. 3000;
my $size = length $value;
my %failed;
my %done;
open(my $source, '>', "$directory/source") or die "source: $!";
syswrite($source, join '', map { chr(rand 256) } 1 .. 16384);
close $source;
open($source, '<', "$directory/source") or die "source: $!";
mkdir "$directory/$_" for @kinds;
my %write = (
    'empty files' => sub { open(my $file, '>', "$_[0]$long") or return; close $file },
    'hard links'  => sub {
        # A file can have 65,535 links.
        my $target = "$directory/hard links/" . int($_[1] / 60000);
        -e $target or open(my $file, '>', $target) or return;
        link $target, "$_[0]$long";
    },
    'extended attributes' => sub {
        open(my $file, '>', $_[0]) or return;
        close $file;
        my ($name, $path) = ('user.flood', $_[0]);
        return syscall($setxattr, $path, $name, $value, $size, 0) == 0;
    },
    'directories' => sub { mkdir "$_[0]$long" },
    'appends of 1 byte' => sub {
        open(my $file, '>>', "$directory/appends of 1 byte/" . int($_[1] / 500)) or return;
        return (syswrite($file, 'x') // 0) == 1 && close $file;
    },
    'reflinks' => sub {
        open(my $file, '>', "$_[0]$long") or return;
        return defined ioctl($file, 0x40049409, fileno $source);
    },
);
while (my @left = grep { !defined $failed{$_} } @kinds) {
    for my $kind (@left) {
        for (1 .. 50) {
            my $number = $done{$kind}++;
            next if $write{$kind}->("$directory/$kind/$number-", $number);
            $failed{$kind} = $! + 0;
            last;
        }
    }
}
print "$_: $failed{$_} after $done{$_}\n" for @kinds;
