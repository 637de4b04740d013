import { z } from 'zod'
import { setting } from './define-settings.ts'
import { installationSettings } from './installation.ts'

const GiB = 1024 * 1024 * 1024
const bytes = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
const absolutePath = z.string().startsWith('/')
/** A path, or empty for "none" or for a default that depends on another setting. */
const optionalPath: z.ZodType<string> = z.union([z.literal(''), absolutePath])

/** Settings of the host daemon, beside those that every process shares. */
export const hostSettings = {
  ...installationSettings,
  hostListen: setting<string>({
    doc: 'Address and port (`address:port`) on which the host daemon answers besides its socket. Needs THREADBOX_HOST_TOKEN_FILE.',
    environment: 'THREADBOX_HOST_LISTEN',
    schema: z.union([z.literal(''), z.string().regex(/^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:]+\]):\d{1,5}$/)]),
    default: '',
  }),
  hostTokenFile: setting<string>({
    doc: 'File with the token (32 characters at least) that requests over THREADBOX_HOST_LISTEN must carry.',
    environment: 'THREADBOX_HOST_TOKEN_FILE',
    schema: optionalPath,
    default: '',
  }),
  socketGroup: setting<number>({
    doc: 'Id of the group that may use the host daemon’s socket: the server’s. Default: root’s.',
    environment: 'THREADBOX_SOCKET_GROUP',
    schema: z.coerce.number().int().min(0),
    default: 0,
  }),
  runscPath: setting<string>({
    doc: 'The runsc program of gVisor.',
    environment: 'THREADBOX_RUNSC',
    schema: absolutePath,
    default: '/usr/local/bin/runsc',
  }),
  guestDirectory: setting<string>({
    doc: 'Directory of the guest daemon, as built: what a sandbox sees as /.guest.',
    environment: 'THREADBOX_GUEST',
    schema: optionalPath,
    default: '',
  }),
  imageArchive: setting<string>({
    doc: 'Base image of new sandboxes: a .tar.zst that is named after its recipe. Unpacked once.',
    environment: 'THREADBOX_IMAGE',
    schema: optionalPath,
    default: '',
  }),
  diskDirectory: setting<string>({
    doc: 'Where disks and images are kept. Default: `disks` in the data directory.',
    environment: 'THREADBOX_DISK_DIRECTORY',
    schema: optionalPath,
    default: '',
  }),
  poolBytes: setting<number>({
    doc: 'Size in bytes of the file that holds disks and images, where the data directory is not on btrfs. It is allocated at once and only grows.',
    environment: 'THREADBOX_POOL_SIZE',
    schema: bytes,
    default: 40 * GiB,
  }),
  keepFreeBytes: setting<number>({
    doc: 'Space below which the pool never takes from the rest of the machine.',
    environment: 'THREADBOX_KEEP_FREE_BYTES',
    schema: bytes,
    default: 5 * GiB,
  }),
  imageReserveBytes: setting<number>({
    doc: 'Space in the pool that only images may use.',
    environment: 'THREADBOX_IMAGE_RESERVE_BYTES',
    schema: bytes,
    default: 6 * GiB,
  }),
  memoryImageReserveBytes: setting<number>({
    doc: 'Space in the pool that only saved memory may use, so that a sandbox can always be paused.',
    environment: 'THREADBOX_MEMORY_IMAGE_RESERVE_BYTES',
    schema: bytes,
    default: 6 * GiB,
  }),
  networkPool: setting<string>({
    doc: 'Private IPv4 range for sandboxes, such as 198.18.0.0/18. Empty: one that meets no route of the machine, chosen once.',
    environment: 'THREADBOX_NETWORK_POOL',
    schema: z.string().regex(/^(|\d{1,3}(\.\d{1,3}){3}\/\d{1,2})$/),
    default: '',
  }),
  certificateBundle: setting<string>({
    doc: 'Certificate authorities that the machine trusts; sandboxes trust them too.',
    environment: 'THREADBOX_CERTIFICATE_BUNDLE',
    schema: absolutePath,
    default: '/etc/ssl/certs/ca-certificates.crt',
  }),
  extraCertificates: setting<string>({
    doc: 'Further certificate authorities (PEM) for sandboxes, such as a company’s own.',
    environment: 'THREADBOX_EXTRA_CERTIFICATES',
    schema: optionalPath,
    default: '',
  }),
  sandboxProxy: setting<string>({
    doc: 'Proxy through which sandboxes reach the internet, such as http://192.0.2.1:3128.',
    environment: 'THREADBOX_SANDBOX_PROXY',
    schema: z.union([z.literal(''), z.url({ protocol: /^https?$/ })]),
    default: '',
  }),
  sandboxNoProxy: setting<string>({
    doc: 'Names and addresses that sandboxes reach without the proxy, separated by commas.',
    environment: 'THREADBOX_SANDBOX_NO_PROXY',
    schema: z.string().regex(/^[A-Za-z0-9.:*,/ -]*$/),
    default: 'localhost,127.0.0.1',
  }),
  doctorUrl: setting<string>({
    doc: 'What `doctor` fetches from inside a sandbox to see that names, routes and certificates work there. Empty: it asks the Python package index, as pip is set up.',
    environment: 'THREADBOX_DOCTOR_URL',
    schema: z.union([z.literal(''), z.url({ protocol: /^https?$/ })]),
    default: '',
  }),
  spareSandboxes: setting<number>({
    doc: 'Sandboxes that are kept booted, while memory is free, so that a new thread does not wait for one. Each takes about 100 MB.',
    environment: 'THREADBOX_SPARE_SANDBOXES',
    schema: z.coerce.number().int().min(0).max(100),
    default: 2,
  }),
  spareKernels: setting<'on' | 'off'>({
    doc: 'Whether a Python kernel waits in each of these, so that the first cell of a new thread does not wait for Python. Each takes about 70 MB more.',
    environment: 'THREADBOX_SPARE_KERNELS',
    schema: z.enum(['on', 'off']),
    default: 'on',
  }),
  frozenCopies: setting<'on' | 'off'>({
    doc: 'Whether the processes of a paused sandbox stay frozen in memory while it is free, beside the image on disk: a wake then takes hundredths of a second.',
    environment: 'THREADBOX_FROZEN_COPIES',
    schema: z.enum(['on', 'off']),
    default: 'on',
  }),
  memoryImageBudgetBytes: setting<number>({
    doc: 'What the saved memory of paused sandboxes may take in the pool; beyond it the oldest that may be given up is. 0: a sixth of the pool.',
    environment: 'THREADBOX_MEMORY_IMAGE_BUDGET',
    schema: bytes,
    default: 0,
  }),
  memoryReserveBytes: setting<number>({
    doc: 'Memory of the machine that no sandbox is started or woken into.',
    environment: 'THREADBOX_MEMORY_RESERVE',
    schema: bytes,
    default: GiB / 2,
  }),
  activeCpuShare: setting<number>({
    doc: 'Share of one processor above which the programs of a sandbox count as at work, so that it is not paused.',
    environment: 'THREADBOX_ACTIVE_CPU_SHARE',
    schema: z.coerce.number().min(0).max(64),
    default: 0.05,
  }),
  bootTemplates: setting<'on' | 'off'>({
    doc: 'Whether sandboxes start out of the saved memory of a guest that has just started, once there is one. Made together with waiting sandboxes.',
    environment: 'THREADBOX_BOOT_TEMPLATES',
    schema: z.enum(['on', 'off']),
    default: 'on',
  }),
}
