import { randomBytes } from 'node:crypto'
import { prepareFreePool } from '@threadbox/sandbox-network'
import { makeLogger } from '@threadbox/telemetry'
import { askForNumbers, startProgramIn } from '../../stack/program-in-namespace.ts'
import { startRebindingNameServer } from '../../system/isolation/rebinding-name-server.ts'
import { addNeighbor } from '../../system/isolation/test-machine.ts'
import { emptyFigure, type Figure, percentile } from '../figure.ts'
import type { Stage } from '../stage.ts'

const questions = 200

/** Prints the milliseconds of each question, for a name that was not asked before. */
const program = `
  const resolver = new (require('node:dns').promises.Resolver)()
  resolver.setServers([process.argv[1]])
  const main = async () => {
    let count = 0
    for await (const line of require('node:readline').createInterface({ input: process.stdin })) {
      const times = []
      for (let left = Number(line); left > 0; left -= 1) {
        const startedAt = performance.now()
        await resolver.resolve4('a' + count++ + '.site.test')
        times.push(performance.now() - startedAt)
      }
      console.log(JSON.stringify(times))
    }
  }
  main()
`

/** What the DNS process adds to a question: the same name server, asked through it and from another namespace directly. */
export async function names(stage: Pick<Stage, 'rounds'>): Promise<Figure[]> {
  await using cleanup = new AsyncDisposableStack()
  const lan = await addNeighbor({ subnet: 88, addresses: [], address6: 'fd77:88::2' })
  cleanup.defer(() => lan.remove())
  const everyName = new Proxy<Record<string, string>>({}, { get: () => '198.51.100.87' })
  const server = await startRebindingNameServer(everyName, { at: lan.gateway })
  cleanup.defer(() => server.close())
  const { network: sandboxes } = await prepareFreePool({
    installation: `tn${randomBytes(2).toString('hex')}`,
    logger: makeLogger({ process: 'bench', level: 'silent' }),
    nameServers: [{ address: lan.gateway, port: server.port }],
  })
  cleanup.defer(() => sandboxes.close())
  const [address = ''] = sandboxes.addresses()
  const attached = await sandboxes.attach({ sandboxId: 'bench', address, egress: { kind: 'open' } })
  const clients = {
    through: startProgramIn(attached.namespacePath.split('/').at(-1) ?? '', ['-e', program, attached.gatewayAddress]),
    direct: startProgramIn(lan.namespace, ['-e', program, `${lan.gateway}:${server.port}`]),
  }
  for (const { stop } of Object.values(clients)) cleanup.defer(stop)
  const figure = emptyFigure({
    id: 'names',
    title: `Resolving a name in a sandbox’s network (p50 of ${questions})`,
    floorTitle: 'the same name server, asked directly from another namespace',
    target: { maxP50: 2 },
  })
  for (let round = 0; round < stage.rounds; round++) {
    figure.floorSamples.push(percentile(await askForNumbers(clients.direct, String(questions)), 0.5))
    figure.samples.push(percentile(await askForNumbers(clients.through, String(questions)), 0.5))
  }
  return [figure]
}
