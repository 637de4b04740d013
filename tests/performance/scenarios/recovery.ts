import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { runToEnd } from '../../chaos/run-to-end.ts'
import { strike, victims } from '../../chaos/strike.ts'
import { echoPort, secretHost, secretValue, startSurroundings } from '../../chaos/surroundings.ts'
import { sandboxIdsOf, startInstallation, type TestInstallation } from '../../stack/installation.ts'
import type { Figure } from '../figure.ts'
import type { Stage } from '../stage.ts'

const mostKills = 10
const withinMs = 60_000
const usesNetwork = path.join(import.meta.dirname, '../../chaos/sandbox/use.py')

/**
 * How soon after a kill a thread has run a command that resolves a name, connects, and sends a request with a secret, on a
 * machine that does nothing else; `./threadbox chaos` shows the same under load. The floor is the command without a kill.
 */
export async function recovery(stage: Pick<Stage, 'rounds'>): Promise<Figure[]> {
  await using surroundings = await startSurroundings()
  await using installation = await startInstallation({ hostEnvironment: surroundings.hostEnvironment })
  const threadId = await threadWithSecret(installation)
  const use = async (startedAt: number) => {
    // A command that was sent before the end of its sandbox was noticed is reported as interrupted.
    for (;;) {
      const call = await runToEnd(installation, { threadId, command: 'python3 ~/use.py bench real', withinMs })
      const ms = performance.now() - startedAt
      if (call?.status === 'succeeded') return ms
      if (ms > withinMs) throw new Error(`the thread can’t be used: ${JSON.stringify(call)}`)
    }
  }
  const thread = { sandboxId: async () => (await sandboxIdsOf(installation))[0] }
  const figures: Figure[] = []
  for (const victim of victims) {
    const samples: number[] = []
    const floorSamples: number[] = []
    for (let kill = 0; kill < Math.min(stage.rounds, mostKills); kill++) {
      floorSamples.push(await use(performance.now()))
      const struckAt = await strike(installation, { victim, thread })
      if (struckAt === undefined) throw new Error(`there was no ${victim} to kill`)
      samples.push(await use(struckAt))
    }
    figures.push({
      id: `recovery-${victim}`,
      title: `A thread is usable again after a SIGKILL of: ${victim}`,
      unit: 'ms',
      samples,
      floorSamples,
      floorTitle: 'the same command without a kill',
      target: { maxP50: 2000 },
    })
  }
  return figures
}

async function threadWithSecret(installation: TestInstallation): Promise<string> {
  const { client } = installation
  const { id: threadId } = await installation.newThread()
  const names = [`allowed.site.test:${echoPort}`, secretHost]
  await client.network.setForThread(threadId, { policy: { kind: 'allowlist', names, presets: [] } })
  const secret = { name: 'API_TOKEN', value: secretValue, owner: 'person' as const, hosts: [secretHost] }
  await client.secrets.grant(threadId, (await client.secrets.create(secret)).id)
  const program = await readFile(usesNetwork, 'base64')
  const command = `echo ${program} | base64 -d > ~/use.py`
  const call = await runToEnd(installation, { threadId, command, withinMs: 3 * withinMs })
  if (call?.status !== 'succeeded') throw new Error('a new thread ran no command')
  return threadId
}
