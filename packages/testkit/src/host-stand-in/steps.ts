import type { HostApi } from '@threadbox/protocol/host'
import { errorOf, type Failure } from './answers.ts'

/** A call of the host, or the question to its guest what is alive. */
export type StepName = keyof HostApi | 'manifest'

/** What a test can do to calls: let them fail, wait, or lose their answers. */
export type Steps = {
  /** Calls of this name that come next throw these, one each, before they have changed anything. */
  fail(name: keyof HostApi, ...errors: Failure[]): void
  /** From now on calls of this name wait, until what this returns is called. */
  hold(name: StepName): () => void
  /** How many calls of this name have come, those that wait or failed included. */
  asked(name: StepName): number
  /** Called when a call has changed the host and before its answer is sent: true for the answer to be lost. */
  loseAnswer: (name: keyof HostApi) => boolean
}

/** Thrown for an answer that is not to arrive. */
export class AnswerLost extends Error {}

type Noted = { [Name in keyof HostApi]?: (...given: Parameters<HostApi[Name]>) => void }
type Failed = (name: keyof HostApi, options: { given: readonly unknown[]; error: Failure }) => void

/** `reach` waits where a test holds that name. */
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

/** The calls of `api`, each noted, held, failed and lost as the test wants it. */
export function withSteps(
  api: HostApi,
  options: {
    /** What a test can change: looked at with every call. */
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
      if (host.loseAnswer(name)) throw new AnswerLost('the answer is lost on its way')
      return value
    }
    return [name, call]
  })
  return Object.fromEntries(calls) as HostApi
}
