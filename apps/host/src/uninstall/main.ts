import { hostSettings, readSettings } from '@threadbox/config'
import { removeDriverOf } from '@threadbox/gvisor-driver'
import { removeNetworkOf } from '@threadbox/sandbox-network'

/**
 * Removes what an installation has added to the kernel of this machine: namespaces, interfaces, routes, firewall table,
 * control groups, namespace of file servers. Requires that the installation's daemons have ended; the launcher removes its files.
 */
const { installation } = readSettings(hostSettings, process.env)
await removeNetworkOf(installation)
await removeDriverOf(installation)
