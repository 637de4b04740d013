import type { SandboxView } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { shownState, waitingPhrase } from './chip.logic.ts'
import { usePhrase } from './phrase.ts'

const notedStates = ['paused', 'cold', 'archived', 'pausing', 'waking', 'starting'] as const

/** The composer’s note about the sandbox: that sending wakes it, or that sent messages wait for it. */
export function useComposerNote(sandbox: SandboxView | undefined): string | undefined {
  const { t } = useTranslation('sandbox')
  const phrase = usePhrase()
  if (sandbox === undefined) return undefined
  const waiting = waitingPhrase(sandbox)
  if (waiting !== undefined) return phrase(waiting, Date.now())
  const noted = notedStates.find((state) => state === shownState(sandbox))
  return noted === undefined ? undefined : t(`composer.${noted}`)
}
