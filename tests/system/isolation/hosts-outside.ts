import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type ProgramInNamespace, startProgramIn } from '../../stack/program-in-namespace.ts'
import { makeTestCertificates } from '../../stack/test-certificates.ts'
import { startRebindingNameServer } from './rebinding-name-server.ts'
import { addNeighbor } from './test-machine.ts'

/** Hosts of one address on the internet, with names, and a certificate that an installation and its sandboxes accept. */
export type HostsOutside = AsyncDisposable & {
  /** The program that serves them. */
  program: ProgramInNamespace
  /** Settings with which a host daemon resolves the names and trusts the certificate. */
  hostEnvironment: Record<string, string>
}

/**
 * Starts a Node program as the hosts of these names. `argumentsIn`: those of Node, given the address to listen on, and a
 * directory with `host.key` and `host.pem`. It prints `ready` when it listens.
 */
export async function startHostsOutside(options: {
  /** One that no other test has: see {@link addNeighbor}. */
  subnet: number
  names: readonly [string, ...string[]]
  argumentsIn(place: { directory: string; address: string }): readonly string[]
}): Promise<HostsOutside> {
  const { subnet, names } = options
  const address = `198.51.100.${subnet}`
  await using cleanup = new AsyncDisposableStack()
  const directory = await mkdtemp(path.join(tmpdir(), 'hosts-outside-'))
  cleanup.defer(() => rm(directory, { recursive: true }))
  await makeTestCertificates(directory, names)
  const lan = await addNeighbor({ subnet, addresses: [address], address6: `fd77:${subnet}::2` })
  cleanup.defer(() => lan.remove())
  const program = startProgramIn(lan.namespace, options.argumentsIn({ directory, address }))
  cleanup.defer(program.stop)
  const first = await program.next()
  if (first !== 'ready') throw new Error(`the hosts did not start: ${first}`)
  const nameServer = await startRebindingNameServer(Object.fromEntries(names.map((name) => [name, address])))
  cleanup.defer(() => nameServer.close())
  const kept = cleanup.move()
  return {
    program,
    hostEnvironment: {
      THREADBOX_NAME_SERVERS: `127.0.0.1:${nameServer.port}`,
      THREADBOX_EXTRA_CERTIFICATES: path.join(directory, 'authority.pem'),
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
