import { z } from 'zod'
import { setting } from './define-settings.ts'
import { hostSettings } from './host.ts'

const { installation, logLevel, gatewaySocket, gatewayUserId, gatewayGroupId } = hostSettings

/** Settings of the gateway, which the host daemon sets when it starts it. */
export const gatewaySettings = {
  installation,
  logLevel,
  gatewaySocket,
  gatewayUserId,
  gatewayGroupId,
  gatewayOrdersSocket: setting({
    doc: 'Unix socket of the gateway for the host daemon. Only root can access it.',
    environment: 'THREADBOX_GATEWAY_ORDERS_SOCKET',
    schema: z.string().startsWith('/'),
    default: '/var/lib/threadbox/run/gateway-orders.sock',
  }),
}
