import { createHash, randomBytes } from 'node:crypto'
import type { Random } from '@threadbox/testkit/repeats'
import { randomText } from './conformance.ts'
import type { Driver } from './driver.ts'
import {
  type Answer,
  makeResidentProgram,
  type ResidentProgram,
  readAnswer,
  untilAnswering,
} from './resident-program.ts'

const fileName = 'work.txt'
const fileBytes = 16 * 2 ** 20

/** A sandbox that is measured again and again: a program that holds memory, and a file of 16 MiB. */
export type Subject = {
  driver: Driver
  id: string
  resident: ResidentProgram
  /** Changes the file and writes to a share of the program’s memory, so that no earlier result and no earlier image fits. */
  change(percent: number): Promise<void>
  /** The line that proves that files and memory were kept; what it prints is checked by {@link Proof.check}. */
  newProof(): Proof
  /** The longest stall that the program saw since {@link change}, until it was first asked. */
  stallMs(): Promise<number>
  /** Runs a line that has to succeed. */
  run(line: string, id?: string): Promise<string>
  /** Forks that stay, for what many of them cost. */
  forks: string[]
  remove(): Promise<void>
}

export type Proof = {
  line: string
  /** Throws unless nonce and digest are right; without `hasMemory`, only the digest is compared. */
  check(output: string, options: { hasMemory: boolean }): void
  /** The same without the question to the program. */
  lineOfFile: string
}

export async function openSubject(
  driver: Driver,
  { megabytes, random }: { megabytes: number; random: Random },
): Promise<Subject> {
  const resident = makeResidentProgram({ megabytes, separates: driver.capabilities.separates })
  const id = await driver.create(resident.program)
  await untilAnswering(driver, { id, resident })
  const content = Buffer.from(randomText(fileBytes))
  await driver.writeFile(id, { name: fileName, content: content.toString('latin1') })
  const run = async (line: string, sandboxId = id) => {
    const { exitCode, output } = await driver.command(sandboxId, line)
    if (exitCode !== 0) throw new Error(`“${line.slice(0, 100)}” ended with ${exitCode}: ${output.slice(0, 300)}`)
    return output
  }
  const ask = async (): Promise<Answer> => {
    const challenge = newChallenge()
    return readAnswer(await run(resident.question(challenge)), challenge)
  }
  const { nonce } = await ask()
  const subject: Subject = {
    driver,
    id,
    resident,
    change: async (percent) => {
      const text = newChallenge()
      const at = Math.floor(random.between(0, fileBytes - text.length))
      content.write(text, at)
      await run(`printf ${text} | dd of=${fileName} bs=1 seek=${at} conv=notrunc status=none`)
      await run(resident.dirtying(percent))
      await run(resident.watching)
    },
    newProof: () => {
      const challenge = newChallenge()
      const digest = createHash('sha256').update(content).digest('hex')
      const lineOfFile = `sha256sum < ${fileName}`
      return {
        lineOfFile,
        line: `${resident.question(challenge)}; ${lineOfFile}`,
        check: (output, { hasMemory }) => {
          if (hasMemory && readAnswer(output, challenge).nonce !== nonce)
            throw new Error(`the program’s nonce is another one: ${output.slice(0, 300)}`)
          if (!output.includes(digest)) throw new Error(`the file has another digest: ${output.slice(0, 300)}`)
        },
      }
    },
    stallMs: async () => (await ask()).stallMs,
    run,
    forks: [],
    remove: async () => {
      for (const fork of subject.forks) await driver.delete(fork)
      await driver.delete(id)
    },
  }
  return subject
}

export function newChallenge(): string {
  return randomBytes(8).toString('hex')
}
