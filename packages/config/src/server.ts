import { isIP } from 'node:net'
import { z } from 'zod'
import { setting } from './define-settings.ts'
import { installationSettings } from './installation.ts'

const origin = z.url({ protocol: /^https?$/ }).refine((value) => new URL(value).origin === value.replace(/\/$/, ''), {
  message: 'must be an origin, such as https://threadbox.example.com, without a path',
})

/** Settings of the server process, beside those that every process shares. */
export const serverSettings = {
  ...installationSettings,
  listenHost: setting({
    doc: 'Address the server listens on. Anything but a loopback address makes it reachable from other computers.',
    environment: 'THREADBOX_LISTEN_HOST',
    schema: z.string().min(1).max(253),
    default: '127.0.0.1',
  }),
  listenPort: setting({
    doc: 'Port the server listens on; 0 takes a free one.',
    environment: 'THREADBOX_PORT',
    schema: z.coerce.number().int().min(0).max(65_535),
    default: 7717,
  }),
  baseDomain: setting({
    doc: 'Domain under which the app (`app.<base>`) and previews live. Default: `<installation>.localhost`.',
    environment: 'THREADBOX_BASE_DOMAIN',
    schema: z
      .string()
      .regex(/^[a-z0-9.-]+$/)
      .max(200),
    default: '',
  }),
  publicUrl: setting({
    doc: 'Origin under which people reach the app through a proxy that ends TLS. With https, cookies are `__Host-` and Secure.',
    environment: 'THREADBOX_PUBLIC_URL',
    schema: origin,
    default: '',
  }),
  allowedHosts: setting({
    doc: 'Further names or addresses, separated by commas, under which the app may be opened.',
    environment: 'THREADBOX_ALLOWED_HOSTS',
    schema: z
      .string()
      .regex(/^[A-Za-z0-9.:[\], -]*$/)
      .max(2000),
    default: '',
  }),
  databaseUrl: setting({
    doc: 'Postgres to keep the state in (`postgres://…`). Empty: an embedded database in the data directory.',
    environment: 'DATABASE_URL',
    schema: z.string().regex(/^postgres(ql)?:\/\//, 'must begin with postgres://'),
    default: '',
  }),
  serverDirectory: setting({
    doc: 'Where the server keeps its database, blobs and keys. Default: `<data directory>/server`.',
    environment: 'THREADBOX_SERVER_DATA',
    schema: z.string().startsWith('/'),
    default: '',
  }),
  webDirectory: setting({
    doc: 'The built web app. Empty: the server offers the API only.',
    environment: 'THREADBOX_WEB_DIRECTORY',
    schema: z.string().startsWith('/'),
    default: '',
  }),
  ownerTokenFile: setting({
    doc: 'File with the one-time token that lets the first person sign up as owner. It is removed when it was used.',
    environment: 'THREADBOX_OWNER_TOKEN_FILE',
    schema: z.string().startsWith('/'),
    default: '',
  }),
  undoSeconds: setting({
    doc: 'How long a deleted thread can be brought back.',
    environment: 'THREADBOX_UNDO_SECONDS',
    schema: z.coerce.number().min(1).max(3600),
    default: 30,
  }),
  connectionsAllow: setting({
    doc: 'Names, addresses and ranges inside private networks that connections to MCP servers and Git credentials may lead to, separated by commas; these may also be unencrypted.',
    environment: 'THREADBOX_CONNECTIONS_ALLOW',
    schema: z
      .string()
      .regex(/^[A-Za-z0-9.:/, -]*$/)
      .max(2000)
      .refine((value) => value.split(',').every(isNameOrRange), { message: 'must be names, addresses or ranges' }),
    default: '',
  }),
  connectionSeconds: setting({
    doc: 'How long the server of a connection may take for one answer, and a Git server may be silent, in seconds.',
    environment: 'THREADBOX_CONNECTION_SECONDS',
    schema: z.coerce.number().int().min(1).max(3600),
    default: 120,
  }),
  connectionAnswerMebibytes: setting({
    doc: 'Largest answer of the server of a connection, in MiB; reading stops there.',
    environment: 'THREADBOX_CONNECTION_ANSWER_MEBIBYTES',
    schema: z.coerce.number().int().min(1).max(64),
    default: 8,
  }),
  connectionPrograms: setting({
    doc: 'How many connections each person may have that run a program in a sandbox of its own; 0: none.',
    environment: 'THREADBOX_CONNECTION_PROGRAMS',
    schema: z.coerce.number().int().min(0).max(50),
    default: 5,
  }),
  connectionProgramMebibytes: setting({
    doc: 'Memory of the sandbox in which the program of a connection runs, in MiB; counts while it runs.',
    environment: 'THREADBOX_CONNECTION_PROGRAM_MEBIBYTES',
    schema: z.coerce.number().int().min(256).max(16_384),
    default: 512,
  }),
}

/** A range such as `10.1.0.0/16` has at most as many bits as its address; names have none. */
function isNameOrRange(item: string): boolean {
  const [address = '', length, ...more] = item.trim().split('/')
  if (length === undefined) return true
  const bits = { 4: 32, 6: 128, 0: -1 }[isIP(address)] ?? -1
  return more.length === 0 && /^\d{1,3}$/.test(length) && Number(length) <= bits
}
