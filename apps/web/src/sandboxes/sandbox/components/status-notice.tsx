import type { NoticeEntry } from '@threadbox/sdk'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { Button } from '../../../ui/button.tsx'
import { Glyph } from '../../../ui/glyph.tsx'
import { openPane } from '../../panes/state/pane-store.ts'
import { glyphOfState, stateNamed } from '../state/chip.logic.ts'
import { numberOf } from '../state/notice.logic.ts'

/** The result of /status: the state at that time. Values that weren’t measured aren’t shown. */
export function StatusNotice(props: { notice: NoticeEntry }) {
  const { t } = useTranslation(['lifecycle', 'sandbox'])
  const format = useFormat()
  const { params, at } = props.notice
  const state = stateNamed(String(params.state ?? ''))
  const moment = (name: string) => {
    const value = numberOf(params, name)
    return value === undefined ? undefined : format.deadline(value, at)
  }
  const size = (name: string) => {
    const value = numberOf(params, name)
    return value === undefined ? undefined : format.binaryBytes(value)
  }
  const text = (name: string) => (params[name] === undefined || params[name] === '' ? undefined : String(params[name]))
  return (
    <div className="r">
      <span className="node" aria-hidden="true">
        <Glyph state={glyphOfState(state)} />
      </span>
      <section className="notice-box" aria-label={t('notice.status', { state: t(`sandbox:state.${state}`) })}>
        <b>{t('notice.status', { state: t(`sandbox:state.${state}`) })}</b>{' '}
        <span className="faint num">{t('notice.statusText', { at: format.deadline(at, Date.now()) })}</span>
        <dl className="kv num">
          <Fact label={t('notice.statusSince')}>{moment('since')}</Fact>
          <Fact label={t('notice.statusMemory')}>{size('memoryBytes')}</Fact>
          <Fact label={t('notice.statusDisk')}>{size('diskBytes')}</Fact>
          <Fact label={t('notice.statusProcesses')}>{text('processes')}</Fact>
          <Fact label={t('notice.statusPorts')}>{text('ports')}</Fact>
          <Fact label={t('notice.statusPause')}>{moment('pauseAt')}</Fact>
          <Fact label={t('notice.statusMemoryUntil')}>{moment('memoryUntil')}</Fact>
        </dl>
        <Button size="sm" onClick={() => openPane('sandbox')}>
          {t('notice.details')}
        </Button>
      </section>
    </div>
  )
}

function Fact(props: { label: string; children: ReactNode }) {
  if (props.children === undefined) return null
  return (
    <>
      <dt>{props.label}</dt>
      <dd>{props.children}</dd>
    </>
  )
}
