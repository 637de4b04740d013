import type { RescueRequest } from '@threadbox/protocol/guest'
import type { Settings } from '../../people/public.ts'

const mebibyte = 1024 * 1024

/** How much of what is in memory a guest may write down, and how long it may take, as the settings say it. */
export async function rescueBudgets(settings: Pick<Settings, 'values'>): Promise<RescueRequest> {
  const { rescueSeconds, rescueMebibytes, rescueVariableMebibytes } = await settings.values()
  return {
    timeBudgetMs: rescueSeconds * 1000,
    totalBytes: rescueMebibytes * mebibyte,
    variableBytes: rescueVariableMebibytes * mebibyte,
  }
}
