import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Button } from '../../../ui/button.tsx'
import { Glyph, type GlyphState } from '../../../ui/glyph.tsx'
import { type Step, steps } from '../state/first-minute.ts'
import { endFirstMinute, type FirstMinute, useFirstMinute } from '../state/first-minute-store.ts'

const glyphs: Record<Step, GlyphState> = {
  starting: 'waking',
  counting: 'active',
  pausing: 'pausing',
  asleep: 'paused',
  waking: 'waking',
  survived: 'active',
  restarted: 'cold',
}

/** The current step of the demonstration and a button to stop it, above the composer of its thread. */
export function SurviveStrip(props: { threadId: string }) {
  const shown = useFirstMinute(props.threadId)
  return shown === null ? null : <Strip shown={shown} />
}

function Strip({ shown }: { shown: FirstMinute }) {
  const { t } = useTranslation('firstMinute')
  const format = useFormat()
  const { step, before, after } = shown.progress
  const hasEnded = step === 'survived' || step === 'restarted' || shown.error !== null
  const counts = { before: format.count(before?.count ?? 0), after: format.count(after?.count ?? 0) }
  const number = steps.indexOf(step === 'restarted' ? 'survived' : step) + 1
  return (
    <section className="queue-box survive-strip" aria-label={t('button')}>
      <div className="survive-line">
        <Glyph state={shown.error === null ? glyphs[step] : 'error'} />
        <div className="grow" role="status">
          <b>{t(`step.${step}.title`)}</b>
          <p>{t(`step.${step}.text`, { ...counts, process: String((after ?? before)?.process ?? '') })}</p>
        </div>
        <span className="faint num">{t('stepOf', { number, total: steps.length })}</span>
        <Button onClick={endFirstMinute}>{hasEnded ? t('done') : t('stop')}</Button>
      </div>
      {shown.error !== null && <FormProblem error={shown.error} title={t('failed')} />}
    </section>
  )
}
