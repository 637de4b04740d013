import type { CreateSchedule, Schedule } from '@threadbox/sdk'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { useProblem } from '../../../page/parts/problem.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { Select } from '../../../ui/select.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useNextTimes, useSaveSchedule } from '../api/runs.queries.ts'
import { proposedRunNetwork, RunNetworkField } from './run-network-field.tsx'

/** Common schedules; all others are entered as cron expressions. */
const plans = {
  hourly: '0 * * * *',
  daily: '0 6 * * *',
  weekdays: '30 7 * * 1-5',
  weekly: '0 3 * * 0',
  monthly: '0 6 1 * *',
} as const
type Plan = keyof typeof plans

type Draft = Required<Omit<CreateSchedule, 'version' | 'isEnabled'>>

/** Creates or edits a schedule, and shows its next times during editing. */
export function ScheduleDialog(props: { agentId: string; schedule: Schedule | null; onClose: () => void }) {
  const { t } = useTranslation(['runs', 'common'])
  const { schedule } = props
  const [draft, setDraft] = useState<Draft>(() => draftOf(schedule))
  const save = useSaveSchedule(props.agentId)
  const formId = useId()
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const isComplete = [draft.name, draft.cron, draft.timeZone, draft.input].every((text) => text.trim() !== '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isComplete || save.isPending) return
    const request = schedule === null ? draft : { ...draft, version: schedule.version, isEnabled: schedule.isEnabled }
    const done = () => {
      showToast(t('saved', { name: draft.name }))
      props.onClose()
    }
    save.mutate({ id: schedule?.id, request }, { onSuccess: done })
  }
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={schedule === null ? t('newSchedule') : t('editSchedule', { name: schedule.name })}
      description={t('scheduleText')}
      closeLabel={t('common:close')}
      footer={
        <DialogActions cancelLabel={t('common:cancel')} onCancel={props.onClose}>
          <Button
            size="md"
            type="submit"
            form={formId}
            variant="primary"
            isDisabled={!isComplete}
            isLoading={save.isPending}
          >
            {t('save')}
          </Button>
        </DialogActions>
      }
    >
      <form id={formId} className="model-form" onSubmit={submit} noValidate>
        <Field label={t('name')}>
          {(control) => (
            <Input {...control} value={draft.name} onChange={(event) => change({ name: event.target.value })} />
          )}
        </Field>
        <Field label={t('task')}>
          {(control) => (
            <textarea
              {...control}
              className="input"
              rows={3}
              dir="auto"
              value={draft.input}
              onChange={(event) => change({ input: event.target.value })}
            />
          )}
        </Field>
        <PlanFields draft={draft} onChange={change} />
        <Policies draft={draft} onChange={change} />
        <RunNetworkField value={draft.network} onChange={(network) => change({ network })} />
        <p className="help">{t('connectionsHelp')}</p>
        {save.error !== null && <FormProblem error={save.error} />}
      </form>
    </Dialog>
  )
}

type PartProps = { draft: Draft; onChange: (part: Partial<Draft>) => void }

function PlanFields({ draft, onChange }: PartProps) {
  const { t } = useTranslation('runs')
  const format = useFormat()
  const problemOf = useProblem()
  const next = useNextTimes({ cron: draft.cron, timeZone: draft.timeZone })
  const known = (Object.keys(plans) as Plan[]).find((plan) => plans[plan] === draft.cron) ?? 'own'
  const options = [...(Object.keys(plans) as Plan[]), 'own' as const]
  return (
    <>
      <Field label={t('plan')}>
        {(control) => (
          <Select
            id={control.id}
            value={known}
            options={options.map((value) => ({ value, label: t(`plans.${value}`) }))}
            onChange={(plan) => plan !== 'own' && onChange({ cron: plans[plan] })}
          />
        )}
      </Field>
      <Field label={t('cron')} help={t('cronHelp')} error={next.isError ? problemOf(next.error).message : undefined}>
        {(control) => (
          <Input
            {...control}
            className="mono"
            spellCheck={false}
            value={draft.cron}
            onChange={(event) => onChange({ cron: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('timeZone')}>
        {(control) => (
          <Input
            {...control}
            spellCheck={false}
            value={draft.timeZone}
            onChange={(event) => onChange({ timeZone: event.target.value })}
          />
        )}
      </Field>
      <section className="next-times" aria-label={t('next')} aria-live="polite">
        <h3>{t('next')}</h3>
        <ul>
          {(next.isError ? [] : (next.data ?? [])).map((at) => (
            <li key={at} className="num">
              {format.momentIn(at, draft.timeZone)}
            </li>
          ))}
        </ul>
      </section>
    </>
  )
}

function Policies({ draft, onChange }: PartProps) {
  const { t } = useTranslation('runs')
  return (
    <>
      <Field label={t('overlapLabel')}>
        {(control) => (
          <Select
            id={control.id}
            value={draft.overlap}
            options={(['skip', 'queue', 'allow'] as const).map((value) => ({
              value,
              label: t(`overlapLong.${value}`),
            }))}
            onChange={(overlap) => onChange({ overlap })}
          />
        )}
      </Field>
      <Field label={t('missedLabel')}>
        {(control) => (
          <Select
            id={control.id}
            value={draft.missed}
            options={(['skip', 'once'] as const).map((value) => ({ value, label: t(`missedLong.${value}`) }))}
            onChange={(missed) => onChange({ missed })}
          />
        )}
      </Field>
    </>
  )
}

function draftOf(schedule: Schedule | null): Draft {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  const policies = { overlap: 'skip', missed: 'skip', network: proposedRunNetwork } as const
  if (schedule === null) return { name: '', cron: plans.daily, timeZone, input: '', ...policies }
  const { name, cron, input, overlap, missed, network } = schedule
  return { name, cron, timeZone: schedule.timeZone, input, overlap, missed, network }
}
