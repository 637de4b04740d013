import type { HostApi } from '@threadbox/protocol/host'
import { errorOf, type Failure } from './answers.ts'

/** A call of the host, or the guest’s manifest request. */
export type StepName = keyof HostApi | 'manifest'

/** What a test can do to calls: make them fail, wait, or lose their replies. */
export type Steps = {
  /** The next calls of this name throw these errors, one each, before they have changed anything. */
  fail(name: keyof HostApi, ...errors: Failure[]): void
  /** From now on calls of this name wait until the returned function is called. */
  hold(name: StepName): () => void
  /** How many calls of this name have arrived, including waiting and failed ones. */
  asked(name: StepName): number
  /** Called when a call has changed the host and before its reply is sent: true loses the reply. */
  loseAnswer: (name: keyof HostApi) => boolean
}

/** Thrown for a reply that must not arrive. */
export class AnswerLost extends Error {}

type Noted = { [Name in keyof HostApi]?: (...given: Parameters<HostApi[Name]>) => void }
type Failed = (name: keyof HostApi, options: { given: readonly unknown[]; error: Failure }) => void

/** `reach` waits while a test holds that name. */
export function makeSteps(): { steps: Steps; reach(name: StepName): Promise<void>; nextFailure: NextFailure } {
  const failures = new Map<string, Failure[]>()
  const holds = new Map<string, Promise<void>>()
  const counts = new Map<string, number>()
  const steps: Steps = {
    fail: (name, ...errors) => void failures.set(name, [...(failures.get(name) ?? []), ...errors]),
    hold: (name) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      holds.set(name, promise)
      return () => {
        if (holds.get(name) === promise) holds.delete(name)
        resolve()
      }
    },
    asked: (name) => counts.get(name) ?? 0,
    loseAnswer: () => false,
  }
  return {
    steps,
    reach: async (name) => {
      counts.set(name, (counts.get(name) ?? 0) + 1)
      await holds.get(name)
    },
    nextFailure: (name) => failures.get(name)?.shift(),
  }
}

type NextFailure = (name: keyof HostApi) => Failure | undefined

/** The calls of `api`, each recorded, held, failed or lost as the test requests. */
export function withSteps(
  api: HostApi,
  options: {
    /** Settings that a test can change, read at every call. */
    host: Pick<Steps, 'loseAnswer'>
    reach(name: StepName): Promise<void>
    nextFailure: NextFailure
    noted: Noted
    failed: Failed
  },
): HostApi {
  const { host, reach, nextFailure, noted, failed } = options
  const calls = Object.entries(api).map(([key, carry]) => {
    const name = key as keyof HostApi
    if (name === 'events') return [name, carry]
    const note = noted[name] as ((...given: unknown[]) => void) | undefined
    const call = async (...given: unknown[]) => {
      note?.(...given)
      await reach(name)
      const error = nextFailure(name)
      if (error !== undefined) {
        failed(name, { given, error })
        throw errorOf(error)
      }
      const value = await (carry as (...given: unknown[]) => Promise<unknown>)(...given)
      if (host.loseAnswer(name)) throw new AnswerLost('the reply was lost')
      return value
    }
    return [name, call]
  })
  return Object.fromEntries(calls) as HostApi
}
