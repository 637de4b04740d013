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
}
