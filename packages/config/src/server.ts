import { isIP } from 'node:net'
import { z } from 'zod'
import { setting } from './define-settings.ts'
import { installationSettings } from './installation.ts'

const origin = z.url({ protocol: /^https?$/ }).refine((value) => new URL(value).origin === value.replace(/\/$/, ''), {
  message: 'must be an origin, such as https://threadbox.example.com, without a path',
})

/** Settings of the server process, in addition to those that all processes share. */
export const serverSettings = {
  ...installationSettings,
  listenHost: setting({
    doc: 'Address the server listens on. Any non-loopback address makes it reachable from other computers.',
    environment: 'THREADBOX_LISTEN_HOST',
    schema: z.string().min(1).max(253),
    default: '127.0.0.1',
  }),
  listenPort: setting({
    doc: 'Port the server listens on. 0: any free port.',
    environment: 'THREADBOX_PORT',
    schema: z.coerce.number().int().min(0).max(65_535),
    default: 7717,
  }),
  baseDomain: setting({
    doc: 'Domain for the app (`app.<base>`) and previews. Default: `<installation>.localhost`.',
    environment: 'THREADBOX_BASE_DOMAIN',
    schema: z
      .string()
      .regex(/^[a-z0-9.-]+$/)
      .max(200),
    default: '',
  }),
  publicUrl: setting({
    doc: 'URL of the app behind a proxy that terminates TLS. With HTTPS, cookies are `__Host-` and Secure.',
    environment: 'THREADBOX_PUBLIC_URL',
    schema: origin,
    default: '',
  }),
  allowedHosts: setting({
    doc: 'Comma-separated additional names or addresses for the app.',
    environment: 'THREADBOX_ALLOWED_HOSTS',
    schema: z
      .string()
      .regex(/^[A-Za-z0-9.:[\], -]*$/)
      .max(2000),
    default: '',
  }),
  trustedProxies: setting({
    doc: 'Comma-separated addresses and ranges of proxies in front of threadbox; `loopback` for a proxy on this machine. They must replace or extend `X-Forwarded-For`, which is ignored from everyone else. Empty: all clients of a proxy count as one.',
    environment: 'THREADBOX_TRUSTED_PROXIES',
    schema: z
      .string()
      .max(2000)
      .refine((value) => value.split(',').every(isProxyRange), {
        message: 'must be `loopback`, addresses, or ranges that don’t cover everything',
      }),
    default: '',
  }),
  metricsListen: setting({
    doc: 'Loopback address and port on which metrics are served without a sign-in, such as `127.0.0.1:9464`. Empty: only through the API, with a key of the scope `metrics`.',
    environment: 'THREADBOX_METRICS_LISTEN',
    schema: z.string().regex(/^(127(\.\d{1,3}){3}|\[::1\]):\d{1,5}$/, 'must be a loopback address and a port'),
    default: '',
  }),
  databaseUrl: setting({
    doc: 'Postgres URL (`postgres://…`). Empty: an embedded database in the data directory.',
    environment: 'DATABASE_URL',
    schema: z.string().regex(/^postgres(ql)?:\/\//, 'must start with postgres://'),
    default: '',
  }),
  serverDirectory: setting({
    doc: 'Directory for the server’s database, blobs and keys. Default: `<data directory>/server`.',
    environment: 'THREADBOX_SERVER_DATA',
    schema: z.string().startsWith('/'),
    default: '',
  }),
  webDirectory: setting({
    doc: 'Directory of the built web app. Empty: the server only serves the API.',
    environment: 'THREADBOX_WEB_DIRECTORY',
    schema: z.string().startsWith('/'),
    default: '',
  }),
  ownerTokenFile: setting({
    doc: 'File with the one-time token for signing up as the owner. Deleted after use.',
    environment: 'THREADBOX_OWNER_TOKEN_FILE',
    schema: z.string().startsWith('/'),
    default: '',
  }),
  undoSeconds: setting({
    doc: 'Seconds during which a deleted thread can be restored.',
    environment: 'THREADBOX_UNDO_SECONDS',
    schema: z.coerce.number().min(1).max(3600),
    default: 30,
  }),
  archiveStore: setting({
    doc: 'Where the files of unused sandboxes go: a folder on another disk, or a bucket as `s3+https://HOST/BUCKET/PREFIX?region=REGION`. When they go is in the settings of the app. Empty: they stay.',
    environment: 'THREADBOX_ARCHIVE_STORE',
    schema: z
      .string()
      .max(2000)
      .regex(/^(\/|s3\+https?:\/\/)/, 'must be a full path or start with s3+https://'),
    default: '',
  }),
  archiveAccessKeyId: setting({
    doc: 'Access key ID for an archive in a bucket.',
    environment: 'THREADBOX_ARCHIVE_ACCESS_KEY_ID',
    schema: z.string().max(200),
    default: '',
  }),
  archiveSecretAccessKey: setting({
    doc: 'Secret access key for an archive in a bucket.',
    environment: 'THREADBOX_ARCHIVE_SECRET_ACCESS_KEY',
    schema: z.string().max(500),
    default: '',
  }),
  connectionsAllow: setting({
    doc: 'Comma-separated names, addresses and ranges in private networks that MCP connections, Git credentials and sign-in providers can use. Connections to them may be unencrypted.',
    environment: 'THREADBOX_CONNECTIONS_ALLOW',
    schema: z
      .string()
      .regex(/^[A-Za-z0-9.:/, -]*$/)
      .max(2000)
      .refine((value) => value.split(',').every(isNameOrRange), { message: 'must be names, addresses or ranges' }),
    default: '',
  }),
  connectionSeconds: setting({
    doc: 'Timeout in seconds for one response from an MCP server, and for silence from a Git server.',
    environment: 'THREADBOX_CONNECTION_SECONDS',
    schema: z.coerce.number().int().min(1).max(3600),
    default: 120,
  }),
  connectionAnswerMebibytes: setting({
    doc: 'Maximum size in MiB of an MCP server’s response.',
    environment: 'THREADBOX_CONNECTION_ANSWER_MEBIBYTES',
    schema: z.coerce.number().int().min(1).max(64),
    default: 8,
  }),
  connectionPrograms: setting({
    doc: 'Maximum connections per person that run a program in their own sandbox. 0: none.',
    environment: 'THREADBOX_CONNECTION_PROGRAMS',
    schema: z.coerce.number().int().min(0).max(50),
    default: 5,
  }),
  connectionProgramMebibytes: setting({
    doc: 'Memory in MiB of the sandbox that runs a connection’s program. Used only while it runs.',
    environment: 'THREADBOX_CONNECTION_PROGRAM_MEBIBYTES',
    schema: z.coerce.number().int().min(256).max(16_384),
    default: 512,
  }),
}

/** A range such as `10.1.0.0/16` has at most as many bits as its address; hostnames have no length. */
function isNameOrRange(item: string): boolean {
  const [address = '', length, ...more] = item.trim().split('/')
  if (length === undefined) return true
  const bits = { 4: 32, 6: 128, 0: -1 }[isIP(address)] ?? -1
  return more.length === 0 && /^\d{1,3}$/.test(length) && Number(length) <= bits
}

function isProxyRange(item: string): boolean {
  const range = item.trim()
  if (range === 'loopback' || range === '') return true
  // An IPv4 address in IPv6 form has two lengths of prefix, and a zone exists on one machine only.
  if (/^::ffff:|%/i.test(range)) return false
  return isIP(range.split('/')[0] ?? '') !== 0 && isNameOrRange(range) && !/\/0*$/.test(range)
}
