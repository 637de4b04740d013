import type { Schedule } from '@threadbox/sdk'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../app/use-format.ts'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { ConfirmDialog } from '../../connection/components/confirm-dialog.tsx'
import { FormProblem } from '../../connection/components/form-problem.tsx'
import { Loaded } from '../../settings/components/loaded.tsx'
import { Group } from '../../settings/components/section.tsx'
import { useChangeSchedule, useDeleteSchedule, useSchedules } from '../api/runs.queries.ts'
import { ScheduleDialog } from './schedule-dialog.tsx'

type Open = { kind: 'new' } | { kind: 'edit' | 'remove'; schedule: Schedule }

/** When the agent runs by itself. */
export function ScheduleList(props: { agentId: string }) {
  const { t } = useTranslation('runs')
  const schedules = useSchedules(props.agentId)
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  return (
    <Group
      title={t('schedules')}
      action={
        <Button size="md" icon={<Plus className="i" size={16} />} onClick={() => setOpen({ kind: 'new' })}>
          {t('newSchedule')}
        </Button>
      }
    >
      <Loaded query={schedules}>
        {(list) =>
          list.length === 0 ? (
            <p className="nothing">{t('noSchedule')}</p>
          ) : (
            <ul className="rows">
              {list.map((schedule) => (
                <ScheduleRow
                  key={schedule.id}
                  schedule={schedule}
                  onEdit={() => setOpen({ kind: 'edit', schedule })}
                  onRemove={() => setOpen({ kind: 'remove', schedule })}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {open?.kind === 'new' && <ScheduleDialog agentId={props.agentId} schedule={null} onClose={close} />}
      {open?.kind === 'edit' && <ScheduleDialog agentId={props.agentId} schedule={open.schedule} onClose={close} />}
      {open?.kind === 'remove' && <RemoveSchedule schedule={open.schedule} onClose={close} />}
    </Group>
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
    <li className="row">
      <div className="row-line">
        <div className="grow">
          <b>{name}</b>
          <p className="facts">
            <code className="mono">{schedule.cron}</code> · {schedule.timeZone} · {t(`overlap.${schedule.overlap}`)} ·{' '}
            {t(`missed.${schedule.missed}`)}
          </p>
          <p className="facts" title={soon === undefined ? undefined : format.fullMoment(soon)}>
            {soon === undefined ? t('isOff') : t('nextAt', { when: format.deadline(soon, Date.now()) })}
          </p>
        </div>
        <Switch
          label={t('onOf', { name })}
          isOn={schedule.isEnabled}
          onChange={(isEnabled) => change.mutate({ id, request: { isEnabled } })}
        />
        <IconButton label={t('editOf', { name })} onClick={props.onEdit}>
          <Pencil className="i" size={16} />
        </IconButton>
        <IconButton label={t('removeOf', { name })} onClick={props.onRemove}>
          <Trash2 className="i" size={16} />
        </IconButton>
      </div>
      {change.error !== null && <FormProblem error={change.error} />}
    </li>
  )
}

function RemoveSchedule(props: { schedule: Schedule; onClose: () => void }) {
  const { t } = useTranslation('runs')
  const remove = useDeleteSchedule()
  return (
    <ConfirmDialog
      title={t('removeTitle', { name: props.schedule.name })}
      text={t('removeScheduleText')}
      action={t('remove')}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(props.schedule.id, { onSuccess: props.onClose })}
      onClose={props.onClose}
    />
  )
}
