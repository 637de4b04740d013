# The same as root, in every directory that the test checks.
set -e
install -d -m 750 /srv/of-root /var/of-root /opt/of-root
echo secret >/srv/of-root/secret
chmod 600 /srv/of-root/secret
ln /srv/of-root/secret /srv/of-root/secret-again
cp -p /bin/true /usr/local/bin/as-root
chmod 4755 /usr/local/bin/as-root
touch -d '2001-02-03 04:05:06.789012345' /etc/of-root
mknod /var/of-root/pipe p
# The pipe is in memory only: without this, the disk would have an earlier time than the sandbox shows.
touch /var/of-root
cd /home/user/awkward
mkdir old-directory
chown user: old-directory
touch -d '2001-02-03 04:05:06.789012345' old-directory
echo mine >owned-by-root
echo other >owned-by-nobody
chown 65534:12345 owned-by-nobody
chown -h root:root dangling
