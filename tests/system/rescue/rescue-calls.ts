import { type RescueReport, rescueReportSchema } from '@threadbox/protocol/guest'
import { expect } from 'vitest'
import { type GuestSandbox, startGuestSandbox } from '../../stack/guest-sandbox.ts'

const MiB = 1024 * 1024
export const rescueBudgets = { timeBudgetMs: 90_000, totalBytes: 200_000_000, variableBytes: 20_000_000 }

/** A sandbox for tests of what its guest saves from memory, and restores after a cold start. */
export async function startSandboxToRescue(): Promise<GuestSandbox> {
  return await startGuestSandbox({ memoryBytes: 2048 * MiB, diskBytes: 768 * MiB })
}

/** Calls of these tests to the guest that is currently running. */
export function rescueCallsOf(guest: () => GuestSandbox) {
  let cells = 0
  return {
    /** Output of a command. */
    run: async (command: string): Promise<string> => (await guest().host.run(guest().sandboxId, command)).output,
    runCell: async (code: string, context = ''): Promise<{ output: string; problem: string }> => {
      const { client } = guest()
      const key = `cell-${++cells}`
      await client.startCell({ key, code, context })
      let output = ''
      for await (const { event } of client.read({ key })) {
        if (event.case === 'output') output += Buffer.from(event.value.data).toString()
        if (event.case === 'ended') return { output, problem: event.value.traceback || event.value.message }
      }
      throw new Error('the cell was not read to its end')
    },
    rescue: async (): Promise<RescueReport> => {
      const answer = await fetch(`${guest().guestUrl}/rescue`, { method: 'POST', body: JSON.stringify(rescueBudgets) })
      const body: unknown = await answer.json()
      expect({ status: answer.status, body }).toMatchObject({ status: 200 })
      return rescueReportSchema.parse(body)
    },
    report: async (): Promise<RescueReport> =>
      rescueReportSchema.parse(await (await fetch(`${guest().guestUrl}/rescue`)).json()),
  }
}
