import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { docsPlaces } from '../../../page/docs/docs-places.ts'
import { ConfirmDialog } from '../../../page/parts/confirm-dialog.tsx'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { LoadedRows } from '../../../page/parts/loaded.tsx'
import { Group } from '../../../page/parts/section.tsx'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Switch } from '../../../ui/switch.tsx'

/** The triggers of one kind that start an agent automatically, and a button to add one. Dialogs are its children. */
export function TriggerGroup<Trigger>(props: {
  title: string
  newLabel: string
  noneText: string
  query: UseQueryResult<Trigger[]>
  onNew: () => void
  row: (trigger: Trigger) => ReactNode
  children: ReactNode
}) {
  return (
    <Group
      title={props.title}
      action={
        <Button size="md" icon={<Plus className="i" size={16} />} onClick={props.onNew}>
          {props.newLabel}
        </Button>
      }
    >
      <LoadedRows query={props.query} empty={props.noneText} docs={docsPlaces.runs} row={props.row} />
      {props.children}
    </Group>
  )
}

/** One trigger: its details (the children), its on/off switch, and its actions. */
export function TriggerRow(props: {
  name: string
  isEnabled: boolean
  onEnabled: (isEnabled: boolean) => void
  error: Error | null
  onEdit?: () => void
  /** Actions that only this kind of trigger has, between the others. */
  actions?: ReactNode
  onRemove: () => void
  children: ReactNode
}) {
  const { t } = useTranslation('runs')
  const { name } = props
  return (
    <li className="row">
      <div className="row-line">
        <div className="grow">
          <b>{name}</b>
          {props.children}
        </div>
        <Switch label={t('onOf', { name })} isOn={props.isEnabled} onChange={props.onEnabled} />
        {props.onEdit !== undefined && (
          <IconButton label={t('editOf', { name })} onClick={props.onEdit}>
            <Pencil className="i" size={16} />
          </IconButton>
        )}
        {props.actions}
        <IconButton label={t('removeOf', { name })} onClick={props.onRemove}>
          <Trash2 className="i" size={16} />
        </IconButton>
      </div>
      {props.error !== null && <FormProblem error={props.error} />}
    </li>
  )
}

export function RemoveTrigger(props: {
  trigger: { id: string; name: string }
  text: string
  remove: UseMutationResult<unknown, Error, string>
  onClose: () => void
}) {
  const { t } = useTranslation('runs')
  const { trigger, remove, onClose } = props
  return (
    <ConfirmDialog
      title={t('removeTitle', { name: trigger.name })}
      text={props.text}
      action={t('remove')}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(trigger.id, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}
