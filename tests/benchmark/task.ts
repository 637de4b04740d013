import { createHash } from 'node:crypto'
import type { Capabilities, Driver } from './driver.ts'
import { newChallenge, type Subject } from './subject.ts'

/** What is measured at one time. It gives a sample of each of its rows. */
export type Task = {
  rows: readonly RowName[]
  /** What the program of its sandbox holds. */
  megabytes: number
  /** Left out where the technology can’t do it. */
  needs?: (capabilities: Capabilities) => boolean
  /** Only where programs are those of the product’s base image. */
  needsImage?: true
  /** In a sandbox of which forks stay from round to round. */
  keepsForks?: true
  /** The sandbox’s program is gone afterwards. */
  endsProgram?: true
  measure(subject: Subject): Promise<Sample[]>
}

export type RowName = { id: string; title: string; unit: 'ms' | 'MiB'; isOptional?: true }
/** In the order of the task’s rows. `stallMs`: see {@link Subject}. */
export type Sample = { value: number; stallMs?: number }

/** A command whose output a driver can’t know before it runs. */
export async function echo(driver: Driver, id: string): Promise<void> {
  const challenge = newChallenge()
  const { output } = await driver.command(id, `printf ${challenge} | sha256sum`)
  if (!output.includes(createHash('sha256').update(challenge).digest('hex')))
    throw new Error(`the first command printed ${output.slice(0, 200)}`)
}
