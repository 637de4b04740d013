import type { SandboxView } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { shownState, waitingPhrase } from './chip.models.ts'
import { usePhrase } from './phrase.ts'

const notedStates = ['paused', 'cold', 'pausing', 'waking', 'starting'] as const

/** What the composer says about the sandbox: that sending wakes it, or that what is sent waits for it. */
export function useComposerNote(sandbox: SandboxView | undefined): string | undefined {
  const { t } = useTranslation('sandbox')
  const phrase = usePhrase()
  if (sandbox === undefined) return undefined
  const waiting = waitingPhrase(sandbox)
  if (waiting !== undefined) return phrase(waiting, Date.now())
  const noted = notedStates.find((state) => state === shownState(sandbox))
  return noted === undefined ? undefined : t(`composer.${noted}`)
}
