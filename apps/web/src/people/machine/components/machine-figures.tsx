import type { Machine, MachineFigures } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { Group } from '../../../page/parts/section.tsx'
import { Meter } from '../../../ui/meter.tsx'

/** What takes how much of memory and disk, and how much more fits. */
export function Figures({ host, growth }: { host: MachineFigures; growth: Machine['growth'] }) {
  const { t } = useTranslation('machine')
  const { memory, disk, processor } = host
  return (
    <>
      <p className="machine-room">
        <b>{t('room', { count: memory.roomForBoots })}</b>
      </p>
      <Group title={t('memory')}>
        <Parts
          label={t('memory')}
          usedBytes={memory.totalBytes - memory.availableBytes}
          totalBytes={memory.totalBytes}
          parts={[
            ['sandboxes', memory.sandboxesBytes],
            ['frozen', memory.frozenBytes],
            ['spares', memory.sparesBytes],
            ['available', memory.availableBytes],
          ]}
        />
      </Group>
      <Group title={t('disk')}>
        <Parts
          label={t('disk')}
          usedBytes={disk.usedBytes}
          totalBytes={disk.totalBytes}
          parts={[
            ['disks', disk.disksBytes],
            ['snapshots', disk.snapshotsBytes],
            ['memoryImages', disk.memoryImagesBytes],
            ['images', disk.imagesBytes],
            ['tables', disk.tablesBytes],
            ['free', disk.totalBytes - disk.usedBytes],
          ]}
        />
        <Growth growth={growth} />
      </Group>
      <p className="section-note">{t('processors', { count: processor.count })}</p>
    </>
  )
}

type PartName =
  | 'sandboxes'
  | 'frozen'
  | 'spares'
  | 'available'
  | 'disks'
  | 'snapshots'
  | 'memoryImages'
  | 'images'
  | 'tables'
  | 'free'

function Parts(props: {
  label: string
  usedBytes: number
  totalBytes: number
  parts: readonly (readonly [name: PartName, bytes: number | null])[]
}) {
  const { t } = useTranslation('machine')
  const format = useFormat()
  const { label, usedBytes, totalBytes } = props
  const words = t('usedOf', { used: format.binaryBytes(usedBytes), total: format.binaryBytes(totalBytes) })
  return (
    <>
      <p className="num">{words}</p>
      <Meter value={usedBytes} maximum={totalBytes} label={`${label}: ${words}`} />
      <dl className="figures machine-parts num">
        {props.parts.map(([name, bytes]) => (
          <div key={name}>
            <dt>{t(`part.${name}`)}</dt>
            <dd>{bytes === null ? t('chart.unknown') : format.binaryBytes(bytes)}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}

function Growth({ growth }: { growth: Machine['growth'] }) {
  const { t } = useTranslation('machine')
  const format = useFormat()
  const { bytesPerDay, fullAt } = growth
  if (bytesPerDay === null) return <p className="facts">{t('growth.unknown')}</p>
  if (bytesPerDay <= 0) return <p className="facts">{t('growth.none')}</p>
  const grows = t('growth.perDay', { bytes: format.binaryBytes(bytesPerDay) })
  const full = fullAt === null ? '' : t('growth.fullAt', { when: format.moment(fullAt, Date.now()) })
  return <p className="facts">{format.sentences([grows, full])}</p>
}
