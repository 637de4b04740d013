import { z } from 'zod'
import { setting } from './define-settings.ts'
import { hostSettings } from './host.ts'

const { installation, logLevel, egressSocket, egressUserId, egressGroupId } = hostSettings
const { sandboxProxy, sandboxNoProxy, certificateBundle, extraCertificates } = hostSettings

/** Settings of the egress process, which the host daemon sets when it starts it. */
export const egressSettings = {
  installation,
  logLevel,
  egressSocket,
  egressUserId,
  egressGroupId,
  egressOrdersSocket: setting({
    doc: 'Unix socket of the egress process for the host daemon. Only root can access it.',
    environment: 'THREADBOX_EGRESS_ORDERS_SOCKET',
    schema: z.string().startsWith('/'),
    default: '/var/lib/threadbox/run/egress-orders.sock',
  }),
  egressDirectory: setting({
    doc: 'Directory of the authority that signs certificates for hosts with secrets. Only root can access it.',
    environment: 'THREADBOX_EGRESS_DIRECTORY',
    schema: z.string().startsWith('/'),
    default: '/var/lib/threadbox/egress',
  }),
  sandboxProxy,
  sandboxNoProxy,
  certificateBundle,
  extraCertificates,
  proxyAddress: setting<string>({
    doc: 'IPv4 address of THREADBOX_SANDBOX_PROXY, if that has a name.',
    environment: 'THREADBOX_EGRESS_PROXY_ADDRESS',
    schema: z.union([z.literal(''), z.ipv4()]),
    default: '',
  }),
  nameServer: setting<string>({
    doc: 'Address of the DNS server that the egress process asks.',
    environment: 'THREADBOX_EGRESS_NAME_SERVER',
    schema: z.ipv4(),
    default: '127.0.0.53',
  }),
}
