import type { Schedule } from '@threadbox/sdk'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { useChangeSchedule, useDeleteSchedule, useSchedules } from '../api/runs.queries.ts'
import { ScheduleDialog } from './schedule-dialog.tsx'
import { RemoveTrigger, TriggerGroup, TriggerRow } from './trigger-list.tsx'

type Open = { kind: 'new' } | { kind: 'edit' | 'remove'; schedule: Schedule }

/** The schedules of an agent. */
export function ScheduleList(props: { agentId: string }) {
  const { t } = useTranslation('runs')
  const schedules = useSchedules(props.agentId)
  const remove = useDeleteSchedule()
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  return (
    <TriggerGroup
      title={t('schedules')}
      newLabel={t('newSchedule')}
      noneText={t('noSchedule')}
      query={schedules}
      onNew={() => setOpen({ kind: 'new' })}
      row={(schedule) => (
        <ScheduleRow
          key={schedule.id}
          schedule={schedule}
          onEdit={() => setOpen({ kind: 'edit', schedule })}
          onRemove={() => {
            remove.reset()
            setOpen({ kind: 'remove', schedule })
          }}
        />
      )}
    >
      {open?.kind === 'new' && <ScheduleDialog agentId={props.agentId} schedule={null} onClose={close} />}
      {open?.kind === 'edit' && <ScheduleDialog agentId={props.agentId} schedule={open.schedule} onClose={close} />}
      {open?.kind === 'remove' && (
        <RemoveTrigger trigger={open.schedule} text={t('removeScheduleText')} remove={remove} onClose={close} />
      )}
    </TriggerGroup>
  )
}

function ScheduleRow(props: { schedule: Schedule; onEdit: () => void; onRemove: () => void }) {
  const { t } = useTranslation('runs')
  const format = useFormat()
  const change = useChangeSchedule()
  const { schedule } = props
  const { id, name, next } = schedule
  const soon = next[0]
  return (
    <TriggerRow
      name={name}
      isEnabled={schedule.isEnabled}
      onEnabled={(isEnabled) => change.mutate({ id, request: { isEnabled } })}
      error={change.error}
      onEdit={props.onEdit}
      onRemove={props.onRemove}
    >
      <p className="facts">
        <code className="mono">{schedule.cron}</code> · {schedule.timeZone} · {t(`overlap.${schedule.overlap}`)} ·{' '}
        {t(`missed.${schedule.missed}`)}
      </p>
      <p className="facts" title={soon === undefined ? undefined : format.fullMoment(soon)}>
        {soon === undefined ? t('isOff') : t('nextAt', { when: format.deadline(soon, Date.now()) })}
      </p>
    </TriggerRow>
  )
}
