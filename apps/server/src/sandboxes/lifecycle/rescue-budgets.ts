import type { RescueRequest } from '@threadbox/protocol/guest'
import type { Settings } from '../../people/public.ts'

const mebibyte = 1024 * 1024

/** Limits from the settings on how much of its memory a guest can save, and how long it can take. */
export async function rescueBudgets(settings: Pick<Settings, 'values'>): Promise<RescueRequest> {
  const { rescueSeconds, rescueMebibytes, rescueVariableMebibytes } = await settings.values()
  return {
    timeBudgetMs: rescueSeconds * 1000,
    totalBytes: rescueMebibytes * mebibyte,
    variableBytes: rescueVariableMebibytes * mebibyte,
  }
}
