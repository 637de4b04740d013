import type { MachineHistory, MachineSpan } from '@threadbox/sdk'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { Loaded } from '../../../page/parts/loaded.tsx'
import { Group } from '../../../page/parts/section.tsx'
import { Select } from '../../../ui/select.tsx'
import { useMachineHistory } from '../api/machine.queries.ts'
import { MachineChart } from './machine-chart.tsx'

const spans: readonly MachineSpan[] = ['day', 'month']

/** The last 24 hours or 30 days. */
export function MachineCharts() {
  const { t } = useTranslation('machine')
  const [span, setSpan] = useState<MachineSpan>('day')
  const history = useMachineHistory(span)
  const choice = (
    <Select
      label={t('span.label')}
      value={span}
      options={spans.map((value) => ({ value, label: t(`span.${value}`) }))}
      onChange={setSpan}
    />
  )
  return (
    <Group title={t('charts')} action={choice}>
      <Loaded query={history}>{(data) => <Charts history={data} />}</Loaded>
    </Group>
  )
}

function Charts({ history }: { history: MachineHistory }) {
  const { t, i18n } = useTranslation('machine')
  const format = useFormat()
  const { points, memoryTotalBytes, diskTotalBytes, ...period } = history
  if (points.length === 0) return <p className="nothing">{t('noHistory')}</p>
  const percent = new Intl.NumberFormat(i18n.language, { style: 'percent', maximumFractionDigits: 0 })
  const perSecond = (value: number) => t('perSecond', { bytes: format.bytes(value) })
  const of = (
    key: 'memoryUsedBytes' | 'diskUsedBytes' | 'cpuShare' | 'receivedPerSecond' | 'sentPerSecond' | 'awake',
  ) => points.map((point) => ({ at: point.at, value: point[key] }))
  const shared = { period }
  return (
    <div className="machine-charts">
      <MachineChart
        {...shared}
        title={t('memory')}
        points={of('memoryUsedBytes')}
        maximum={memoryTotalBytes}
        words={format.binaryBytes}
      />
      <MachineChart
        {...shared}
        title={t('disk')}
        points={of('diskUsedBytes')}
        maximum={diskTotalBytes}
        words={format.binaryBytes}
      />
      <MachineChart
        {...shared}
        title={t('cpu')}
        points={of('cpuShare')}
        maximum={1}
        words={(value) => percent.format(value)}
      />
      <MachineChart
        {...shared}
        title={t('awake')}
        points={of('awake')}
        words={(value) => format.number(Math.round(value))}
      />
      <MachineChart {...shared} title={t('received')} points={of('receivedPerSecond')} words={perSecond} />
      <MachineChart {...shared} title={t('sent')} points={of('sentPerSecond')} words={perSecond} />
    </div>
  )
}
