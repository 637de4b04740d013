const tryAgain = 'Try again. If it happens again, search `threadbox logs` for the request ID.'
const checkNetwork =
  'Check that this host can resolve names (/etc/resolv.conf). If it reaches the internet through a proxy, set THREADBOX_SANDBOX_PROXY. If a company’s certificate authority signs its certificates, set THREADBOX_EXTRA_CERTIFICATES. See also the check “other firewalls”.'

/** What the checks find, by permanent code, and the fix. The app translates these by code. */
export const findingWords = {
  'kernel-fine': { detail: 'Linux {release}', cure: '' },
  'kernel-too-old': {
    detail: 'Linux {release} is older than 5.10',
    cure: 'Upgrade to Debian 12, Ubuntu 24.04 or later.',
  },
  'cgroups-fine': { detail: 'version {version}: memory, cpu and pids can be limited', cure: '' },
  'cgroups-fine-v1': {
    detail: 'version 1: memory, cpu and pids can be limited; a sandbox starts 5–30 ms later than with version 2',
    cure: '',
  },
  'cgroups-missing': {
    detail: 'version {version}: {missing} cannot be limited',
    cure: "Add `cgroup_enable={first}` to the kernel's command line, or give the container its own cgroups.",
  },
  'disk-rate-fine': { detail: 'each sandbox reads and writes at most {rate} MiB a second', cure: '' },
  'disk-rate-none': { detail: 'no limit is set', cure: '' },
  'disk-rate-not-enforced': {
    detail: 'not enforced on this kernel (cgroup version {version}): a sandbox can slow the disk down for others',
    cure: 'Boot the host with cgroup v2 and the `io` controller, such as with `systemd.unified_cgroup_hierarchy=1`.',
  },
  'btrfs-fine': { detail: '{version}', cure: '' },
  'btrfs-missing': { detail: 'btrfs isn’t available in the kernel', cure: 'Load it: `modprobe btrfs`' },
  'nftables-fine': { detail: 'the nftables table {table} exists', cure: '' },
  'nftables-missing': {
    detail: 'the nftables table {table} is missing: something removed it after the host daemon created it',
    cure: 'Restart the host daemon, and make sure no other tool runs `nft flush ruleset`.',
  },
  'router-missing': {
    detail: 'the network namespace of the sandboxes was removed, so they reach nothing',
    cure: 'Run `./threadbox down` and `./threadbox up`. Sandboxes that were awake then have a network again.',
  },
  'nftables-outdated': {
    detail: 'the nftables table {table} doesn’t deny these addresses of the host’s own network: {addresses}',
    cure: 'Restart the host daemon. If it happens again, search `threadbox logs` for “network”.',
  },
  'process-fine': { detail: 'user {user}, no rights, {memory} MiB', cure: '' },
  'process-missing': {
    detail: 'it isn’t running',
    cure: 'Run `./threadbox down` and `./threadbox up`. If it happens again, search `threadbox logs host` for “{name}”.',
  },
  'process-silent': {
    detail: 'process {pid} isn’t responding',
    cure: 'Run `./threadbox down` and `./threadbox up`. If it happens again, search `threadbox logs host` for “{name}”.',
  },
  'process-privileged': {
    detail: 'process {pid} has rights that it must not have: {rights}',
    cure: 'Run `./threadbox up`, then `./threadbox down` and `./threadbox up`: the first one repairs users and settings.',
  },
  'forwarding-fine': { detail: 'no other firewall drops sandbox traffic by default', cure: '' },
  'forwarding-blocked-docker': { detail: '{chain} drops sandbox traffic by default', cure: '{commands}' },
  'forwarding-blocked-ufw': { detail: '{chain} drops sandbox traffic by default', cure: '{commands}' },
  'forwarding-blocked-other': {
    detail: '{chain} drops sandbox traffic by default',
    cure: 'In {chain}, accept forwarded packets from interfaces {interfaces}, and established ones to them.',
  },
  'ids-fine': { detail: 'no sandbox has a user ID of this host', cure: '' },
  'ids-not-shifted': {
    detail: 'sandboxes have the user IDs of this host, without its rights: {reason}',
    cure: 'Run the host with Linux 5.15 or later and perl, and keep THREADBOX_DATA on btrfs, ext4 or XFS.',
  },
  'namespaces-missing': {
    detail: 'the kernel creates no user namespace: {reason}',
    cure: 'Allow them: `sysctl user.max_user_namespaces=15000`. In a container, its runtime must allow them too.',
  },
  'driver-fine': { detail: '{name} {version}, with its helper programs', cure: '' },
  'driver-without-helpers': {
    detail: '{name} {version}, without its helper programs: on some kernels a sandbox starts 40 ms later',
    cure: 'Run `./threadbox up` to install them.',
  },
  'compression-off': { detail: 'off', cure: '' },
  'compression-fine': { detail: '{heldBytes:size} of memory take {storedBytes:size} of RAM', cure: '' },
  'compression-fine-v1': {
    detail:
      '{heldBytes:size} of memory take {storedBytes:size} of RAM; with cgroup version 1, the kernel also compresses memory of running sandboxes when memory is short',
    cure: '',
  },
  'compression-other-swap': {
    detail: 'memory of idle sandboxes isn’t compressed, because the host could write it to a disk: {detail} is swap',
    cure: 'Turn that swap off (`swapoff`, and its line in /etc/fstab), or set THREADBOX_COMPRESS_FROZEN=off.',
  },
  'compression-full': {
    detail: 'no space is left for more compressed memory: {detail}',
    cure: 'Add memory to the host, or lower `idlePauseMinutes` so that idle sandboxes pause earlier.',
  },
  'compression-unavailable': {
    detail: 'memory of idle sandboxes can’t be compressed, so that each takes more of it: {detail}',
    cure: 'Use a kernel with zram and swap (`modprobe zram`), or set THREADBOX_COMPRESS_FROZEN=off.',
  },
  'pool-fine': {
    detail: '{freeBytes:size} of {totalBytes:size} free, {reservedBytes:size} of that reserved',
    cure: '',
  },
  'pool-full': {
    detail: '{freeBytes:size} of {totalBytes:size} free, {reservedBytes:size} of that reserved',
    cure: 'Delete threads you no longer need, or raise THREADBOX_POOL_SIZE.',
  },
  'sandbox-fine': { detail: 'a sandbox was ready after {durationMs} ms', cure: '' },
  'sandbox-ended-early': { detail: 'the sandbox stopped as soon as it was ready', cure: tryAgain },
  'network-index-fine': { detail: 'the Python package index responded', cure: '' },
  'network-url-fine': { detail: '{url} responded', cure: '' },
  'network-index-unreachable': {
    detail: 'can’t reach the Python package index from a sandbox: {output}',
    cure: checkNetwork,
  },
  'network-url-unreachable': { detail: 'can’t reach {url} from a sandbox: {output}', cure: checkNetwork },
  'network-skipped': { detail: 'couldn’t start a sandbox', cure: '' },
  /** An error without a code: a program's own words. */
  'check-failed': { detail: '{message}', cure: tryAgain },
} as const
export type FindingCode = keyof typeof findingWords
