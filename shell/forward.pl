# The way out of a sandbox that has only a loopback interface: carries connections to ports of 127.0.0.1 to unix sockets outside.
#
#   perl -t -f -C0 forward.pl SETSID CLONE KEEP_BADLANG PORT=SOCKET... -- PROGRAM [ARGUMENT...]
#
# The ports listen before PROGRAM runs, and PROGRAM replaces this process: its pid, terminal and process group are those that it has without a
# forwarder, and its signals have their default effect. The connections are carried by a process beside it, with a kernel session of its own,
# without a terminal and without the descriptors of the program. It ends with the pid namespace of the sandbox.
#
# A daemon greets each connection with one byte. Until then nothing is sent to it: the kernel also accepts connections for a daemon that is just
# being killed, and the bytes of those would be lost. Such a connection is made again, to the next daemon.
#
# No module is loaded: "POSIX" and "Socket" take longer to load than the rest takes to run. The constants are those of Linux on x86 and ARM;
# SETSID and CLONE are the numbers of system calls, or 0. "-t" makes Perl ignore PERL5OPT and PERL5LIB; its warnings are not needed.

$SIG{__WARN__} = sub { };

my ($AF_UNIX, $AF_INET, $SOCK_STREAM, $SOL_SOCKET, $SO_REUSEADDR, $IPPROTO_TCP, $TCP_NODELAY) = (1, 2, 1, 1, 2, 6, 1);
my ($F_GETFL, $F_SETFL, $O_NONBLOCK, $SHUT_WR)  = (3, 4, 2048, 1);
my ($CLONE_PARENT, $SIGCHLD) = (0x8000, 17);
my ($ENOENT,  $EINTR,   $EAGAIN,     $EINVAL) = (2, 4, 11, 22);

my $BACKLOG         = 128;
my $CONNECTIONS_MAX = 256;
my $BUFFER_BYTES    = 65_536;

# A connection waits this long for the next daemon while none runs.
my $CONNECT_SECONDS_MAX = 20;
my $RETRY_SECONDS       = 0.1;

my ($setsid, $clone, $keepBadlang, @words) = @ARGV;
delete $ENV{PERL_BADLANG} unless $keepBadlang;
my @listeners;
while (@words and (my $word = shift @words) ne "--") {
    my ($port, $path) = $word =~ /^(\d+)=(.{1,107})$/s or fail("\"$word\" is not PORT=SOCKET");
    socket(my $handle, $AF_INET, $SOCK_STREAM, 0) or fail("cannot make a socket: $!");
    setsockopt($handle, $SOL_SOCKET, $SO_REUSEADDR, pack("i", 1));
    bind($handle, pack("S n a4 x8", $AF_INET, $port, "\x7f\0\0\1")) and listen($handle, $BACKLOG)
        or fail("cannot listen on port $port: $!");
    unblock($handle);
    push @listeners, { handle => $handle, address => pack("S a108", $AF_UNIX, $path) };
}
fail("no program is named") unless @words;

# Without a port there is nothing to carry, and nobody to end the carrier: the daemon tries this script so, outside of a sandbox.
startCarrier() if @listeners;
$SIG{$_} = "DEFAULT" for grep { !/^__/ } keys %SIG;
exec { $words[0] } @words;
my $code = $! == $ENOENT ? 127 : 126;
complain("cannot execute \"$words[0]\": $!");
exit $code;

# The program has no child that it did not start: the carrier is a child of the first process of the sandbox.
sub startCarrier {
    # A sibling needs one process less than a double fork, which is left for where it cannot be made.
    my $sibling = $clone ? syscall(0 + $clone, $CLONE_PARENT | $SIGCHLD, 0, 0, 0, 0) : -1;
    return if $sibling > 0;
    if ($sibling < 0) {
        my $child = fork();
        if (not defined $child or $child > 0) {
            waitpid($child, 0) if defined $child;
            fail("cannot start a process: $!") if not defined $child or $? != 0;
            return;
        }
        # Whoever ends first leaves the next one to the first process of the sandbox.
        my $grandchild = fork();
        exit(defined $grandchild ? 0 : 1) unless defined $grandchild and $grandchild == 0;
    }
    leaveProgram();
    forward();
}

sub complain { syswrite STDERR, "lectern: way out of the sandbox: $_[0]\n" }

sub fail { complain($_[0]); exit 125 }

sub unblock { fcntl($_[0], $F_SETFL, fcntl($_[0], $F_GETFL, 0) | $O_NONBLOCK) }

sub leaveProgram {
    syscall(0 + $setsid) if $setsid;
    $SIG{$_} = "IGNORE" for qw(HUP INT QUIT PIPE TERM TSTP TTIN TTOU USR1 USR2);
    chdir "/";
    $0 = "lectern-way-out";
    open(STDIN,  "<", "/dev/null");
    open(STDOUT, ">", "/dev/null");
    open(STDERR, ">", "/dev/null");
    my %kept = map { fileno($_->{handle}) => 1 } @listeners;
    opendir(my $list, "/proc/self/fd") or return;
    my @descriptors = grep { /^\d+$/ and $_ > 2 and not $kept{$_} } readdir $list;
    closedir $list;
    for (@descriptors) { open(my $handle, "<&=", 0 + $_) and close $handle }
}

# A connection has two directions, each with a buffer that must be empty before more is read.
sub forward {
    my %connections;
    my $count = 0;
    while (1) {
        my ($read, $write) = ("", "");
        if ($count < $CONNECTIONS_MAX) { vec($read, fileno($_->{handle}), 1) = 1 for @listeners }
        my $isWaiting = 0;
        for my $connection (values %connections) {
            if (not $connection->{outer}) { $isWaiting = 1; next }
            if (not $connection->{ways}) { vec($read, fileno($connection->{outer}), 1) = 1; next }
            for my $way (@{ $connection->{ways} }) {
                if ($way->{buffer} ne "") { vec($write, fileno($way->{to}), 1) = 1 }
                elsif (not $way->{ended}) { vec($read, fileno($way->{from}), 1) = 1 }
            }
        }
        my $ready = select($read, $write, undef, $isWaiting ? $RETRY_SECONDS : undef);
        next if $ready < 0 and $! == $EINTR;
        ($read, $write) = ("", "") if $ready <= 0;
        for my $key (keys %connections) {
            my $connection = $connections{$key};
            my $lives = $connection->{ways} ? carry($connection, $read, $write) : reach($connection, $read);
            next if $lives;
            delete $connections{$key};
            $count--;
        }
        for my $listener (@listeners) {
            next unless vec($read, fileno($listener->{handle}), 1) and $count < $CONNECTIONS_MAX;
            accept(my $inner, $listener->{handle}) or next;
            setsockopt($inner, $IPPROTO_TCP, $TCP_NODELAY, pack("i", 1));
            unblock($inner);
            my $connection = { inner => $inner, address => $listener->{address} };
            lookForDaemon($connection);
            reach($connection, "") or next;
            $connections{0 + $connection} = $connection;
            $count++;
        }
    }
}

# False once no daemon has come in time. It has, as soon as it greets.
sub reach {
    my ($connection, $read) = @_;
    if (not $connection->{outer}) {
        socket(my $outer, $AF_UNIX, $SOCK_STREAM, 0) or return 0;
        unblock($outer);
        if (connect($outer, $connection->{address})) { $connection->{outer} = $outer }
        return $connection->{outer} || time < $connection->{deadline};
    }
    my ($inner, $outer) = ($connection->{inner}, $connection->{outer});
    return 1 unless vec($read, fileno($outer), 1);
    my $bytes = sysread($outer, my $greeting, 1);
    if ($bytes) {
        $connection->{ways} = [ { from => $inner, to => $outer, buffer => "" }, { from => $outer, to => $inner, buffer => "" } ];
    }
    elsif (defined $bytes or not($! == $EAGAIN or $! == $EINTR)) { lookForDaemon($connection) }
    return 1;
}

sub lookForDaemon {
    my ($connection) = @_;
    $connection->{outer}    = undef;
    $connection->{deadline} = time + $CONNECT_SECONDS_MAX;
}

# False once both directions have ended, or one has failed.
sub carry {
    my ($connection, $read, $write) = @_;
    my $isOver = 1;
    for my $way (@{ $connection->{ways} }) {
        if (not $way->{ended} and $way->{buffer} eq "" and vec($read, fileno($way->{from}), 1)) {
            my $bytes = sysread($way->{from}, $way->{buffer}, $BUFFER_BYTES);
            if (not defined $bytes) { return 0 unless $! == $EAGAIN or $! == $EINTR }
            elsif ($bytes == 0) { $way->{ended} = 1 }
            else { return 0 unless flush($way) }
        }
        elsif ($way->{buffer} ne "" and vec($write, fileno($way->{to}), 1)) { return 0 unless flush($way) }
        if ($way->{ended} and $way->{buffer} eq "" and not $way->{shut}) {
            shutdown($way->{to}, $SHUT_WR);
            $way->{shut} = 1;
        }
        $isOver &&= $way->{shut};
    }
    return not $isOver;
}

# False if the receiver has gone. What it does not take now stays in the buffer.
sub flush {
    my ($way) = @_;
    my $bytes = syswrite($way->{to}, $way->{buffer});
    if (defined $bytes) { substr($way->{buffer}, 0, $bytes, "") }
    elsif ($! != $EAGAIN and $! != $EINTR) { return 0 }
    return 1;
}
