import { Socket } from 'node:net'
import { endIfAskedForVersion, namesSettings, readSettings } from '@threadbox/config'
import { becomeUser } from '@threadbox/daemon/become-user'
import {
  makeDnsUpstream,
  makeNetworkNames,
  openNameSockets,
  readHostResolvers,
  serveNames,
} from '@threadbox/sandbox-network/dns'
import { makeLogger } from '@threadbox/telemetry'

endIfAskedForVersion(import.meta.url)
const settings = readSettings(namesSettings, process.env)
const logger = makeLogger({ process: 'names', level: settings.logLevel })
/** The end of the socket pair whose other end the host daemon has. */
const channelFd = 3

try {
  await main()
  process.exit(0)
} catch (error) {
  logger.fatal({ err: error }, 'the DNS process has failed')
  process.exit(1)
}

/**
 * Parses what sandboxes ask, so that no process with more rights has to. The host daemon starts it as root, with only the
 * capabilities for what comes before `becomeUser`, and it ends with the host daemon, whose channel ends then. Arguments:
 * the address in the router, then the servers to ask (`address:port`) if they aren’t the machine’s.
 */
async function main(): Promise<void> {
  const [address = '', ...listed] = process.argv.slice(2)
  const router = { namespaceName: makeNetworkNames(settings.installation).routerNamespace }
  const user = { userId: settings.namesUserId, groupId: settings.namesGroupId }
  const sockets = openNameSockets({ router, address, user })
  becomeUser(user)
  const channel = new Socket({ fd: channelFd, readable: true, writable: true })
  channel.on('close', () => process.exit(0))
  const servers = listed.map(serverOf)
  const upstream = makeDnsUpstream({ servers: servers.length === 0 ? readHostResolvers : async () => servers })
  logger.debug({ address, installation: settings.installation }, 'names are resolved for sandboxes')
  await serveNames({ channel, sockets, upstream, logger })
}

function serverOf(text: string): { address: string; port: number } {
  const end = text.lastIndexOf(':')
  return { address: text.slice(0, end), port: Number(text.slice(end + 1)) }
}
