import { setTimeout as delay } from 'node:timers/promises'
import { hostPaths } from '@threadbox/protocol/host'
import { startInstallation, type TestInstallation } from '../stack/installation.ts'
import { makeRawSandbox, type RawSandbox } from './floors/raw-sandbox.ts'

/** Everything that the scenarios measure on, started once for a whole bench. */
export type Stage = TestInstallation & {
  raw: RawSandbox
  /** Id of the one sandbox that is awake. Throws when there is none or more than one. */
  onlySandbox(): Promise<string>
  /** Resolves when as many sandboxes wait as the product keeps waiting: between two threads of people they all do. */
  untilSparesWait(): Promise<void>
}

/** As the product does by default; other tests keep none waiting. */
const spares = 2

export async function openStage(): Promise<Stage> {
  await using cleanup = new AsyncDisposableStack()
  const installation = cleanup.use(
    await startInstallation({
      serverEnvironment: { THREADBOX_LOG_LEVEL: 'info' },
      hostEnvironment: { THREADBOX_SPARE_SANDBOXES: String(spares) },
    }),
  )
  const raw = cleanup.use(
    await makeRawSandbox({
      diskDirectory: installation.host.diskDirectory,
      installation: installation.host.installation,
    }),
  )
  const kept = cleanup.move()
  return {
    ...installation,
    raw,
    onlySandbox: async () => {
      const { body } = await installation.host.request('GET', hostPaths.sandboxes)
      const { sandboxes } = body as { sandboxes: { sandboxId: string; actual: string }[] }
      const awake = sandboxes.filter(({ actual }) => actual === 'ready')
      const [only] = awake
      if (only === undefined || awake.length > 1) throw new Error(`${awake.length} sandboxes are awake, expected one`)
      return only.sandboxId
    },
    untilSparesWait: async () => {
      const waiting = async () => {
        const { body } = await installation.host.request('GET', hostPaths.info)
        return (body as { spareSandboxes: number }).spareSandboxes
      }
      while ((await waiting()) < spares) await delay(50)
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
