#!/usr/bin/env bash
# The first process of a bare system: makes its folder the root, mounts what a machine has mounted, and runs the visit.
set -euo pipefail
root=$1 suite=$2

mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount --rbind /sys/fs/cgroup "$root/sys/fs/cgroup"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=0755 tmpfs "$root/run"
hostname bare
cd "$root"
mkdir -p .outside
pivot_root . .outside
umount --lazy /.outside
rmdir /.outside
mount --make-rshared /
cd /opt/threadbox
# Not exec: this process adopts orphaned processes.
env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb LANG=C.UTF-8 \
  ./deploy/bare-system/visit.sh "$suite"
