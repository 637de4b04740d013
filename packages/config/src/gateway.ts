import { z } from 'zod'
import { setting } from './define-settings.ts'
import { installationSettings } from './installation.ts'

const { installation, logLevel, gatewaySocket } = installationSettings
const userId = z.coerce.number().int().min(1).max(4_294_967_294)

/** The user that the gateway becomes before it reads anything. */
export const gatewayUserSettings = {
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
}

/** Settings of the gateway, which the host daemon sets when it starts it. */
export const gatewaySettings = {
  installation,
  logLevel,
  gatewaySocket,
  ...gatewayUserSettings,
  gatewayOrdersSocket: setting({
    doc: 'Unix socket of the gateway for the host daemon. Only root can access it.',
    environment: 'THREADBOX_GATEWAY_ORDERS_SOCKET',
    schema: z.string().startsWith('/'),
    default: '/var/lib/threadbox/run/gateway-orders.sock',
  }),
}
