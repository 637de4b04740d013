import { z } from 'zod'
import { setting } from './define-settings.ts'
import { installationSettings } from './installation.ts'

/** Sockets of the gateway, which also the host daemon and the server use. */
export const gatewaySocketSettings = {
  gatewaySocket: setting({
    doc: 'Unix socket of the gateway for the server’s requests to sandboxes. Only the server’s group can access it.',
    environment: 'THREADBOX_GATEWAY_SOCKET',
    schema: z.string().startsWith('/'),
    default: '/var/lib/threadbox/run/gateway/requests.sock',
  }),
  gatewayOrdersSocket: setting({
    doc: 'Unix socket of the gateway for the host daemon. Only root can access it.',
    environment: 'THREADBOX_GATEWAY_ORDERS_SOCKET',
    schema: z.string().startsWith('/'),
    default: '/var/lib/threadbox/run/gateway/orders.sock',
  }),
}

/** Settings of the gateway, in addition to those that all processes share. */
export const gatewaySettings = { ...installationSettings, ...gatewaySocketSettings }
