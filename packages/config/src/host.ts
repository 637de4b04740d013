import { z } from 'zod'
import { setting } from './define-settings.ts'
import { installationSettings } from './installation.ts'

const GiB = 1024 * 1024 * 1024
const bytes = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
const absolutePath = z.string().startsWith('/')
/** A path, or empty for "none" or for a default that depends on another setting. */
const optionalPath: z.ZodType<string> = z.union([z.literal(''), absolutePath])

const userId = z.coerce.number().int().min(1).max(4_294_967_294)

/** Settings of the host daemon, in addition to those that all processes share. */
export const hostSettings = {
  ...installationSettings,
  gatewayUserId: setting<number>({
    doc: 'ID of the user that the gateway runs as: the only one that can open connections to sandboxes. `up` creates it.',
    environment: 'THREADBOX_GATEWAY_UID',
    schema: userId,
    default: 65_533,
  }),
  gatewayGroupId: setting<number>({
    doc: 'ID of the group of that user.',
    environment: 'THREADBOX_GATEWAY_GID',
    schema: userId,
    default: 65_533,
  }),
  namesUserId: setting<number>({
    doc: 'ID of the user that the DNS process runs as, which answers what sandboxes ask. `up` creates it.',
    environment: 'THREADBOX_NAMES_UID',
    schema: userId,
    default: 65_532,
  }),
  namesGroupId: setting<number>({
    doc: 'ID of the group of that user.',
    environment: 'THREADBOX_NAMES_GID',
    schema: userId,
    default: 65_532,
  }),
  nameServers: setting<string>({
    doc: 'Comma-separated DNS servers (`address` or `address:port`) that resolve names for sandboxes. Empty: the host’s.',
    environment: 'THREADBOX_NAME_SERVERS',
    schema: z.string().regex(/^(|\d{1,3}(\.\d{1,3}){3}(:\d{1,5})?(,\d{1,3}(\.\d{1,3}){3}(:\d{1,5})?)*)$/),
    default: '',
  }),
  egressUserId: setting<number>({
    doc: 'ID of the user that connects sandboxes to the internet where their policy is a list, and inserts secrets. `up` creates it.',
    environment: 'THREADBOX_EGRESS_UID',
    schema: userId,
    default: 65_531,
  }),
  egressGroupId: setting<number>({
    doc: 'ID of the group of that user.',
    environment: 'THREADBOX_EGRESS_GID',
    schema: userId,
    default: 65_531,
  }),
  hostListen: setting<string>({
    doc: 'Extra TCP address (`address:port`) for the host daemon. Requires THREADBOX_HOST_TOKEN_FILE.',
    environment: 'THREADBOX_HOST_LISTEN',
    schema: z.union([z.literal(''), z.string().regex(/^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:]+\]):\d{1,5}$/)]),
    default: '',
  }),
  hostTokenFile: setting<string>({
    doc: 'File with the token that requests to THREADBOX_HOST_LISTEN must send. At least 32 characters.',
    environment: 'THREADBOX_HOST_TOKEN_FILE',
    schema: optionalPath,
    default: '',
  }),
  socketGroup: setting<number>({
    doc: 'ID of the group that can use the host daemon’s socket (the server’s group). Default: root’s.',
    environment: 'THREADBOX_SOCKET_GROUP',
    schema: z.coerce.number().int().min(0),
    default: 0,
  }),
  runscPath: setting<string>({
    doc: 'Path of gVisor’s runsc.',
    environment: 'THREADBOX_RUNSC',
    schema: absolutePath,
    default: '/usr/local/bin/runsc',
  }),
  guestDirectory: setting<string>({
    doc: 'Directory of the built guest daemon, mounted in sandboxes at /.guest.',
    environment: 'THREADBOX_GUEST',
    schema: optionalPath,
    default: '',
  }),
  imageArchive: setting<string>({
    doc: 'Base image for new sandboxes: a .tar.zst named after its recipe. Unpacked once.',
    environment: 'THREADBOX_IMAGE',
    schema: optionalPath,
    default: '',
  }),
  diskDirectory: setting<string>({
    doc: 'Directory for disks and images. Default: `disks` in the data directory.',
    environment: 'THREADBOX_DISK_DIRECTORY',
    schema: optionalPath,
    default: '',
  }),
  poolBytes: setting<number>({
    doc: 'Size in bytes of the file that holds disks and images, if the data directory isn’t on btrfs. Allocated up front; can only grow.',
    environment: 'THREADBOX_POOL_SIZE',
    schema: bytes,
    default: 40 * GiB,
  }),
  keepFreeBytes: setting<number>({
    doc: 'Disk space in bytes that the pool always leaves free for the rest of the host.',
    environment: 'THREADBOX_KEEP_FREE_BYTES',
    schema: bytes,
    default: 5 * GiB,
  }),
  imageReserveBytes: setting<number>({
    doc: 'Pool space in bytes reserved for images.',
    environment: 'THREADBOX_IMAGE_RESERVE_BYTES',
    schema: bytes,
    default: 6 * GiB,
  }),
  memoryImageReserveBytes: setting<number>({
    doc: 'Pool space in bytes reserved for saved memory, so that a sandbox can always be paused.',
    environment: 'THREADBOX_MEMORY_IMAGE_RESERVE_BYTES',
    schema: bytes,
    default: 6 * GiB,
  }),
  networkPool: setting<string>({
    doc: 'Private IPv4 range for sandboxes, such as 198.18.0.0/18. Empty: chosen once, avoiding the host’s routes.',
    environment: 'THREADBOX_NETWORK_POOL',
    schema: z.string().regex(/^(|\d{1,3}(\.\d{1,3}){3}\/\d{1,2})$/),
    default: '',
  }),
  certificateBundle: setting<string>({
    doc: 'CA certificates the host trusts. Sandboxes trust them too.',
    environment: 'THREADBOX_CERTIFICATE_BUNDLE',
    schema: absolutePath,
    default: '/etc/ssl/certs/ca-certificates.crt',
  }),
  extraCertificates: setting<string>({
    doc: 'Additional CA certificates for sandboxes (PEM file), such as a company CA.',
    environment: 'THREADBOX_EXTRA_CERTIFICATES',
    schema: optionalPath,
    default: '',
  }),
  sandboxProxy: setting<string>({
    doc: 'Proxy that sandboxes use to reach the internet, such as http://192.0.2.1:3128.',
    environment: 'THREADBOX_SANDBOX_PROXY',
    schema: z.union([z.literal(''), z.url({ protocol: /^https?$/ })]),
    default: '',
  }),
  sandboxNoProxy: setting<string>({
    doc: 'Comma-separated names and addresses that sandboxes reach without the proxy.',
    environment: 'THREADBOX_SANDBOX_NO_PROXY',
    schema: z.string().regex(/^[A-Za-z0-9.:*,/ -]*$/),
    default: 'localhost,127.0.0.1',
  }),
  sandboxRate: setting<number>({
    doc: 'Maximum rate in MiB per second at which a sandbox sends to other machines, and at which it receives. 0: no limit.',
    environment: 'THREADBOX_SANDBOX_RATE',
    schema: z.coerce.number().int().min(0).max(100_000),
    default: 100,
  }),
  sandboxDiskRate: setting<number>({
    doc: 'Maximum rate in MiB per second at which a sandbox reads from the disk, and at which it writes. Needs cgroup v2; `doctor` says whether the kernel enforces it. 0: no limit.',
    environment: 'THREADBOX_SANDBOX_DISK_RATE',
    schema: z.coerce.number().int().min(0).max(100_000),
    default: 200,
  }),
  doctorUrl: setting<string>({
    doc: 'URL that `doctor` fetches from a sandbox to test DNS, routing and certificates. Empty: the Python package index, as configured for pip.',
    environment: 'THREADBOX_DOCTOR_URL',
    schema: z.union([z.literal(''), z.url({ protocol: /^https?$/ })]),
    default: '',
  }),
  spareSandboxes: setting<number>({
    doc: 'Spare sandboxes kept running while memory is free, so that new threads don’t wait for one to start. Each uses about 60 MB.',
    environment: 'THREADBOX_SPARE_SANDBOXES',
    schema: z.coerce.number().int().min(0).max(100),
    default: 2,
  }),
  preparedAllocations: setting<number>({
    doc: 'Disks and networks prepared for new sandboxes, so that many new threads at the same time don’t wait for them. They use no memory.',
    environment: 'THREADBOX_PREPARED_ALLOCATIONS',
    schema: z.coerce.number().int().min(0).max(100),
    default: 8,
  }),
  spareKernels: setting<'on' | 'always' | 'off'>({
    doc: 'Whether spare sandboxes also run a Python kernel, so that the first cell doesn’t wait for Python. `on`: started while the machine is idle, and only if at least a third of the last 20 new threads used Python within 10 minutes. Each uses about 70 MB more.',
    environment: 'THREADBOX_SPARE_KERNELS',
    schema: z.enum(['on', 'always', 'off']),
    default: 'on',
  }),
  frozenCopies: setting<'on' | 'off'>({
    doc: 'Whether paused sandboxes also stay frozen in RAM while memory is free, in addition to their image on disk. Waking one then takes hundredths of a second.',
    environment: 'THREADBOX_FROZEN_COPIES',
    schema: z.enum(['on', 'off']),
    default: 'on',
  }),
  freezeIdleSeconds: setting<number>({
    doc: 'Seconds without a request after which an awake sandbox is frozen in RAM, if nothing of its user runs in it. The next request lets it continue within milliseconds; nothing else changes. 0: never.',
    environment: 'THREADBOX_FREEZE_IDLE_SECONDS',
    schema: z.coerce.number().min(0).max(86_400),
    default: 30,
  }),
  compressFrozen: setting<'on' | 'off'>({
    doc: 'Whether the memory of sandboxes that have been frozen for a minute is compressed in RAM (zram). Memory is never written to a disk for this: with other swap than zram on the host, it’s not compressed.',
    environment: 'THREADBOX_COMPRESS_FROZEN',
    schema: z.enum(['on', 'off']),
    default: 'on',
  }),
  memoryImageBudgetBytes: setting<number>({
    doc: 'Pool space in bytes for the saved memory of paused sandboxes. When it’s full, the oldest memory past its guaranteed time is discarded. 0: one sixth of the pool.',
    environment: 'THREADBOX_MEMORY_IMAGE_BUDGET',
    schema: bytes,
    default: 0,
  }),
  memoryReserveBytes: setting<number>({
    doc: 'Host memory in bytes that sandboxes can’t start or wake into.',
    environment: 'THREADBOX_MEMORY_RESERVE',
    schema: bytes,
    default: GiB / 2,
  }),
  activeCpuShare: setting<number>({
    doc: 'CPU use, as a share of one core, above which a sandbox’s programs count as working and keep it awake.',
    environment: 'THREADBOX_ACTIVE_CPU_SHARE',
    schema: z.coerce.number().min(0).max(64),
    default: 0.05,
  }),
  bootTemplates: setting<'on' | 'off'>({
    doc: 'Whether sandboxes start from the saved memory of a freshly booted guest. Templates are created together with spare sandboxes.',
    environment: 'THREADBOX_BOOT_TEMPLATES',
    schema: z.enum(['on', 'off']),
    default: 'on',
  }),
}
