import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { isErrorOf } from '@threadbox/errors'
import { packSkill, unpackSkill } from '@threadbox/protocol/host'
import { sha256Of } from '../../platform/secrets/sha256.ts'
import { checkSkill } from '../../turns/public.ts'
import type { DraftSkill } from './agent-drafts.logic.ts'
import { type AgentFile, agentFileMark, maxAgentFileHeadBytes, readAgentFile } from './agent-file.logic.ts'
import { agentFileDamaged, agentFileOtherFormat, agentFileOtherImage } from './agents.errors.ts'
import type { ByteReader } from './byte-reader.ts'
import type { EnvironmentRow } from './environments.table.ts'
import type { Environments } from './environments.usecases.ts'

/** The digest and the size of what has passed. */
export type Measured = { bytes: AsyncIterable<Uint8Array>; result(): { sha256: string; sizeBytes: number } }

export function measured(source: AsyncIterable<Uint8Array>): Measured {
  const hash = createHash('sha256')
  let sizeBytes = 0
  return {
    bytes: (async function* () {
      for await (const part of source) {
        hash.update(part)
        sizeBytes += part.byteLength
        yield part
      }
    })(),
    result: () => ({ sha256: hash.copy().digest('hex'), sizeBytes }),
  }
}

/** Reads the header of an untrusted file. Throws `agent-file.damaged` and `agent-file.other-format`. */
export async function readHead(reader: ByteReader): Promise<AgentFile> {
  const mark = await reader.take(agentFileMark.length)
  if (mark === undefined || Buffer.from(mark).toString('latin1') !== agentFileMark) {
    throw agentFileDamaged({ problem: 'it doesn’t start with the agent file header.' })
  }
  const line = await reader.line(maxAgentFileHeadBytes)
  if (line === undefined) throw agentFileDamaged({ problem: 'its header is truncated or too long.' })
  const read = readAgentFile(line)
  if (read.kind === 'damaged') throw agentFileDamaged({ problem: read.problem })
  if (read.kind === 'other-format') throw agentFileOtherFormat({ format: read.format })
  return read.file
}

/** Checks each skill that follows the header, and stores its package. Throws as `checkSkill`. */
export async function readSkills(
  { file, reader }: { file: AgentFile; reader: ByteReader },
  store: (name: string, bytes: Uint8Array) => Promise<unknown>,
): Promise<DraftSkill[]> {
  const skills: DraftSkill[] = []
  for (const { name, sizeBytes } of file.skills ?? []) {
    const bytes = await reader.take(sizeBytes)
    const unpacked = bytes && unpackSkill(bytes)
    if (unpacked === undefined) throw agentFileDamaged({ problem: `the skill ${name} is incomplete.` })
    const { description, files } = checkSkill(unpacked, name)
    const content = packSkill(files)
    await store(name, content)
    const shown = files.map(({ path, isExecutable, content: { byteLength } }) => {
      return { path, isExecutable, sizeBytes: byteLength }
    })
    skills.push({ name, description, digest: sha256Of(content), files: shown })
  }
  return skills
}

/** Makes a disk of the rest of the file. Throws `agent-file.other-image` and what the host throws. */
export async function readDisk(
  environments: Pick<Environments, 'receive'>,
  { userId, file, reader }: { userId: string; file: AgentFile; reader: ByteReader },
): Promise<EnvironmentRow | undefined> {
  if (file.computer === null) {
    if ((await reader.take(1)) !== undefined)
      throw agentFileDamaged({ problem: 'it contains more data than its header declares.' })
    return undefined
  }
  const { imageId, content } = file.computer
  const bytes = Readable.from(reader.rest())
  return await environments
    .receive(userId, { imageId, content: { ...content, memory: null }, bytes })
    .catch((error: { details?: Record<string, unknown> }) => {
      if (!isErrorOf({ code: 'environment.other-image' }, error)) throw error
      throw agentFileOtherImage({ wanted: imageId, present: String(error.details?.present ?? '') }, { cause: error })
    })
}
