import type { SandboxView } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../app/use-format.ts'
import { useNow } from '../../../app/use-now.ts'
import { Chip } from '../../../ui/chip.tsx'
import { Popover } from '../../../ui/popover.tsx'
import { glyphOf, useSandboxWords } from '../state/sandbox-words.ts'

/** The state of the thread's computer; opens to what that means, since when, why, and within which limits. */
export function SandboxChip(props: { sandbox: SandboxView }) {
  const { t } = useTranslation('sandbox')
  const words = useSandboxWords()
  const format = useFormat()
  const now = useNow(30_000)
  const { sandbox } = props
  const { limits } = sandbox
  const cause = words.cause(sandbox)
  return (
    <Popover
      label={t('title')}
      trigger={
        <Chip
          state={glyphOf(sandbox.state)}
          word={words.word(sandbox)}
          detail={words.detail(sandbox, now)}
          title={t('chip')}
        />
      }
    >
      <p className="popover-lead">{words.meaning(sandbox)}</p>
      <dl className="kv">
        {sandbox.state !== 'fresh' && (
          <>
            <dt>{t('since')}</dt>
            <dd className="num">
              <time dateTime={new Date(sandbox.since).toISOString()} title={format.fullMoment(sandbox.since)}>
                {format.moment(sandbox.since, now)}
              </time>
            </dd>
          </>
        )}
        {cause !== undefined && (
          <>
            <dt>{t('why')}</dt>
            <dd>
              {cause}
              {sandbox.state === 'error' && <span className="mono faint popover-code">{sandbox.detail?.code}</span>}
            </dd>
          </>
        )}
      </dl>
      <h3 className="popover-h">{t('limits')}</h3>
      <dl className="kv num">
        <dt>{t('memory')}</dt>
        <dd>{t('upTo', { amount: format.binaryBytes(limits.memoryBytes) })}</dd>
        <dt>{t('cpus')}</dt>
        <dd>{t('upTo', { amount: format.number(limits.cpus) })}</dd>
        <dt>{t('processes')}</dt>
        <dd>{t('upTo', { amount: format.number(limits.processes) })}</dd>
        <dt>{t('disk')}</dt>
        <dd>{t('upTo', { amount: format.binaryBytes(limits.diskBytes) })}</dd>
      </dl>
    </Popover>
  )
}
