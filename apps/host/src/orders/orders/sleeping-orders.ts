import { Readable } from 'node:stream'
import type { HostApi } from '@threadbox/protocol/host'
import type { SleepingFiles } from '../../copies/sleeping/sleeping-files.ts'

/** Reads the disk of a sandbox that is not running, and waits for no other order. */
export function sleepingOrders(files: SleepingFiles): Pick<HostApi, 'sleepingFiles'> {
  return {
    sleepingFiles: async (sandboxId, question) => {
      const answer = await files.answer(sandboxId, question)
      if (answer.kind === 'list' || answer.kind === 'entry') return answer
      return { ...answer, bytes: Readable.toWeb(answer.bytes) as ReadableStream<Uint8Array> }
    },
  }
}
