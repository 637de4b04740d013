import type { SandboxView } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../app/use-format.ts'
import type { GlyphState } from '../../../ui/glyph.tsx'

/** The glyph of each state: starting turns like waking, a sandbox that is being removed looks archived. */
const glyphs: Record<SandboxView['state'], GlyphState> = {
  fresh: 'fresh',
  starting: 'waking',
  active: 'active',
  pausing: 'pausing',
  paused: 'paused',
  waking: 'waking',
  cold: 'cold',
  archived: 'archived',
  error: 'error',
  deleting: 'archived',
}

export function glyphOf(state: SandboxView['state']): GlyphState {
  return glyphs[state]
}

/** The causes that this app has words for; they are keys of its texts. */
const knownDetails = [
  'awake.turn',
  'ended.stopped',
  'ended.memory-backstop',
  'ended.killed-inside',
  'ended.killed-outside',
  'ended.machine-restarted',
  'ended.unknown',
  'host.unreachable',
  'sandbox.disk-full',
] as const
type KnownDetail = (typeof knownDetails)[number]

/** The words for a sandbox: its state, what stands after it in the chip, what the state means. */
export function useSandboxWords() {
  const { t } = useTranslation('sandbox')
  const format = useFormat()
  const causeOf = (sandbox: SandboxView): string | undefined => {
    const { detail } = sandbox
    if (detail === null) return undefined
    if (isKnown(detail.code)) return t(`detail.${detail.code}`)
    return sandbox.state === 'error' ? t('detail.startFailed') : undefined
  }
  return {
    word: (sandbox: SandboxView) => t(`state.${sandbox.state}`),
    meaning: (sandbox: SandboxView) => t(`meaning.${sandbox.state}`),
    cause: causeOf,
    /** After the word in the chip: the cause, else what the state has to say by itself. */
    detail: (sandbox: SandboxView, now: number): string | undefined => {
      if (sandbox.state === 'fresh') return t('freshDetail')
      if (sandbox.state === 'paused' || sandbox.state === 'cold') return format.shortAge(now - sandbox.since)
      return causeOf(sandbox)
    },
  }
}

function isKnown(code: string): code is KnownDetail {
  return (knownDetails as readonly string[]).includes(code)
}
