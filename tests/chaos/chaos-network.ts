import type { TestInstallation } from '../stack/installation.ts'
import type { Finding } from './findings.ts'
import { insist, persist } from './run-to-end.ts'
import { type Arrived, echoPort, type Surroundings } from './surroundings.ts'

/** The policy and the secret of one thread, and what its sandbox therefore must not have reached. */
export type ChaosNetwork = {
  /** Names the thread to the hosts around the installation. */
  token: string
  isGranted(): boolean
  /** Adds a host to the policy or removes it; resolves when that was acknowledged. */
  changePolicy(): Promise<void>
  grant(): Promise<void>
  revoke(): Promise<void>
  check(): Promise<Finding[]>
}

export type ChaosNetworkOptions = {
  installation: TestInstallation
  surroundings: Surroundings
  threadId: string
  token: string
  /** Undefined: this thread never gets it. */
  secretId: string | undefined
}

/** Gives a new thread its policy, before its sandbox exists, and its secret. */
export async function makeChaosNetwork(options: ChaosNetworkOptions): Promise<ChaosNetwork> {
  const { installation, surroundings, threadId, token, secretId } = options
  const { network, secrets } = installation.client
  /** What had arrived when it was last forbidden; undefined while it is allowed, or may be. */
  let sometimes: number | undefined
  let valued: number | undefined = 0
  const count = async (of: 'sometimes' | 'valued') => (await surroundings.arrived())[of][token] ?? 0
  const setPolicy = async (isListed: boolean) => {
    const names = [
      `allowed.site.test:${echoPort}`,
      'api.site.test',
      ...(isListed ? [`sometimes.site.test:${echoPort}`] : []),
    ]
    const policy = { kind: 'allowlist' as const, names, presets: [] }
    await insist(
      () => network.setForThread(threadId, { policy }),
      ({ isApplied }) => isApplied,
    )
  }
  const findings: Finding[] = []
  const examine = (arrived: Arrived) => {
    const [passed, used] = [arrived.sometimes[token] ?? 0, arrived.valued[token] ?? 0]
    if (sometimes !== undefined && passed > sometimes)
      findings.push({ kind: 'escaped', what: `${passed - sometimes} bytes of ${token} after its policy was narrowed` })
    if (valued !== undefined && used > valued)
      findings.push({ kind: 'misused', what: `${used - valued} requests of ${token} had the secret without a grant` })
  }
  const check = async () => {
    examine(await surroundings.arrived())
    return findings.splice(0)
  }
  const keep = async () => examine(await surroundings.arrived())
  await setPolicy(false)
  sometimes = 0
  return {
    token,
    isGranted: () => valued === undefined,
    changePolicy: async () => {
      if (sometimes === undefined) {
        await setPolicy(false)
        sometimes = await count('sometimes')
        return
      }
      await keep()
      sometimes = undefined
      await setPolicy(true)
    },
    grant: async () => {
      if (secretId === undefined || valued === undefined) return
      await keep()
      valued = undefined
      await insist(
        () => secrets.grant(threadId, secretId),
        ({ isInEffect }) => isInEffect,
      )
    },
    revoke: async () => {
      if (secretId === undefined || valued !== undefined) return
      // One that was revoked already is refused: the response to the first request was lost.
      const revoked = async () => {
        await secrets.revoke(threadId, secretId).catch(() => undefined)
        return await secrets.ofThread(threadId)
      }
      await insist(
        revoked,
        ({ isInEffect, secrets: known }) => isInEffect && known.every(({ id, way }) => id !== secretId || way === null),
      )
      valued = await count('valued')
    },
    check: () => persist(check),
  }
}
