import { z } from 'zod'
import { setting } from './define-settings.ts'

/**
 * Settings that all processes of an installation share. The launcher writes them to `<data>/threadbox.env`; all names
 * on the host (namespaces, interfaces, tables, cgroups, units, users, cookies) contain `installation`.
 */
export const installationSettings = {
  installation: setting({
    doc: 'ID of this installation: six characters from a–z and 0–9. Created once by `up` and used in every name it creates on the host.',
    environment: 'THREADBOX_INSTALLATION',
    schema: z.string().regex(/^[a-z][a-z0-9]{5}$/),
    default: 'local0',
  }),
  dataDirectory: setting({
    doc: 'Data directory: releases, disk pool, database, blobs and keys. Mode 0700 except for what the server needs.',
    environment: 'THREADBOX_DATA',
    schema: z.string().startsWith('/'),
    default: '/var/lib/threadbox',
  }),
  hostSocket: setting({
    doc: 'Unix socket of the host daemon. Only the server’s group can access it.',
    environment: 'THREADBOX_HOST_SOCKET',
    schema: z.string().startsWith('/'),
    default: '/var/lib/threadbox/run/host.sock',
  }),
  gatewaySocket: setting({
    doc: 'Unix socket of the gateway, through which the server reaches what runs in sandboxes. Only the server’s group can access it.',
    environment: 'THREADBOX_GATEWAY_SOCKET',
    schema: z.string().startsWith('/'),
    default: '/var/lib/threadbox/run/gateway.sock',
  }),
  egressSocket: setting({
    doc: 'Unix socket on which the egress process gets granted secrets from the server. Only the server’s group can access it.',
    environment: 'THREADBOX_EGRESS_SOCKET',
    schema: z.string().startsWith('/'),
    default: '/var/lib/threadbox/run/egress.sock',
  }),
  logLevel: setting({
    doc: 'Log level.',
    environment: 'THREADBOX_LOG_LEVEL',
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace']) as z.ZodType<string>,
    default: 'info',
  }),
}
