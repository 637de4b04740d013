import { hostSettings, readSettings } from '@threadbox/config'
import { removeCgroupTree } from '@threadbox/gvisor-driver'
import { removeNetworkOf } from '@threadbox/sandbox-network'

/**
 * Removes what an installation has put into the kernel of this machine: namespaces, interfaces, routes, firewall table,
 * control groups. For an installation whose daemons have ended; its files are the launcher's to remove.
 */
const { installation } = readSettings(hostSettings, process.env)
await removeNetworkOf(installation)
await removeCgroupTree(installation)
