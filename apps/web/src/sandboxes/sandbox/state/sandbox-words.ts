import type { SandboxView } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { causePhrase } from './causes.logic.ts'
import { chipDetail, shownState } from './chip.logic.ts'
import { usePhrase } from './phrase.ts'

/** Short texts for a sandbox: its state, and the detail after it. */
export function useSandboxWords() {
  const { t } = useTranslation('sandbox')
  const phrase = usePhrase()
  return {
    word: (sandbox: SandboxView) => t(`state.${shownState(sandbox)}`),
    detail: (sandbox: SandboxView, now: number): string | undefined => {
      const detail = chipDetail(sandbox, now)
      return detail === undefined ? undefined : phrase(detail, now)
    },
    /** The second line of a thread in the sidebar: only while something runs or waits. */
    running: (sandbox: SandboxView, now: number): string | undefined => {
      const isBusy = sandbox.state === 'active' && (sandbox.awake?.reasons ?? []).length > 0
      const detail = isBusy || shownState(sandbox) === 'waiting' ? chipDetail(sandbox, now) : undefined
      return detail === undefined ? undefined : phrase(detail, now)
    },
    cause: (sandbox: SandboxView, now: number): string | undefined => {
      const cause = causePhrase(sandbox.detail)
      return cause === undefined ? undefined : phrase(cause, now)
    },
  }
}
