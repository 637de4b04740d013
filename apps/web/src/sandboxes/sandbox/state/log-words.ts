import { type LifecycleLogEntry, wakeCauses } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { endPhrase, pausePhrase } from './causes.logic.ts'
import { usePhrase } from './phrase.ts'

/** Codes whose sentence uses its params unchanged. */
const plainCodes = [
  'started',
  'start-failed',
  'pause-failed',
  'pause-abandoned',
  'wake-failed',
  'wake-queued',
  'frozen-dropped',
  'demoted',
  'files-removed',
  'archived',
  'restored-from-archive',
  'restarted',
  'hold-ended',
  'limits-changed',
  'policy-changed',
] as const
const wakeSources = ['frozen', 'memory', 'disk', 'snapshot', 'new'] as const

/** Translates log lines. A code that this app doesn’t know is shown as it is, not left out. */
export function useLogWords(): (entry: LifecycleLogEntry, now: number) => string {
  const { t } = useTranslation(['sandbox', 'lifecycle'])
  const phrase = usePhrase()
  const format = useFormat()
  return ({ code, params }, now) => {
    const plain = plainCodes.find((known) => known === code)
    if (plain !== undefined) return t(`log.${plain}`, params)
    const source = wakeSources.find((known) => `woken.${known}` === code)
    if (source !== undefined) return t(`log.woken.${source}`)
    if (code.startsWith('paused.')) {
      const cause = pausePhrase(code.slice('paused.'.length), params)
      return cause === undefined ? t('log.pausedPlain') : t('log.paused', { cause: phrase(cause, now) })
    }
    if (code === 'ended') {
      const cause = endPhrase(String(params.cause ?? ''))
      return cause === undefined ? t('log.endedPlain') : t('log.ended', { cause: phrase(cause, now) })
    }
    if (code === 'memory-lost') {
      const cause = wakeCauses.find((known) => known === params.cause)
      return cause === undefined
        ? t('log.memoryLostPlain')
        : t('log.memoryLost', { cause: t(`lifecycle:cause.${cause}`) })
    }
    if (code === 'held') return t('log.held', { until: format.deadline(Number(params.until), now) })
    return code
  }
}
