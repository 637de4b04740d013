import { ChevronDown, Coffee } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../../ui/menu.tsx'
import { useHold } from '../api/sandbox.queries.ts'
import { fieldOfMoment, holdEnd, holdHours, holdProblem, momentOfField } from '../state/hold.logic.ts'

/** Keeps the sandbox awake, always until a given time. */
export function HoldMenu(props: { threadId: string; heldUntil: number | null; now: number; size?: 'sm' | 'md' }) {
  const { t } = useTranslation('sandbox')
  const format = useFormat()
  const hold = useHold(props.threadId)
  const showError = useErrorToast()
  const [isChoosing, setIsChoosing] = useState(false)
  const { heldUntil, now } = props
  const isHeld = heldUntil !== null && heldUntil > now
  const keep = (until: number | null) => hold.mutate(until, { onError: showError })
  return (
    <>
      <Menu
        align="end"
        label={t('pane.hold')}
        trigger={
          <Button size={props.size ?? 'md'} icon={<Coffee className="i" size={14} />} isLoading={hold.isPending}>
            {isHeld ? t('pane.keepAwakeUntil', { until: format.deadline(heldUntil, now) }) : t('pane.keepAwake')}
            <ChevronDown className="i" size={12} aria-hidden="true" />
          </Button>
        }
      >
        <MenuLabel>{t('pane.hold')}</MenuLabel>
        {holdHours.map((hours) => (
          <MenuItem
            key={hours}
            end={format.deadline(holdEnd(hours, now), now)}
            onSelect={() => keep(holdEnd(hours, Date.now()))}
          >
            {t('pane.holdHours', { count: hours })}
          </MenuItem>
        ))}
        <MenuItem onSelect={() => setIsChoosing(true)}>{t('pane.holdUntil')}</MenuItem>
        {isHeld && (
          <>
            <MenuSeparator />
            <MenuItem onSelect={() => keep(null)}>{t('pane.holdEnd')}</MenuItem>
          </>
        )}
      </Menu>
      {isChoosing && <HoldDialog threadId={props.threadId} onClose={() => setIsChoosing(false)} />}
    </>
  )
}

function HoldDialog(props: { threadId: string; onClose: () => void }) {
  const { t } = useTranslation(['sandbox', 'common'])
  const hold = useHold(props.threadId)
  const [text, setText] = useState(() => fieldOfMoment(holdEnd(4, Date.now())))
  const [isTried, setIsTried] = useState(false)
  const problem = holdProblem(momentOfField(text), Date.now())
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setIsTried(true)
    if (holdProblem(momentOfField(text), Date.now()) === undefined) {
      hold.mutate(momentOfField(text), { onSuccess: props.onClose })
    }
  }
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={t('pane.holdTitle')}
      description={t('pane.holdText')}
      closeLabel={t('common:close')}
      footer={
        <DialogActions cancelLabel={t('common:cancel')} onCancel={props.onClose}>
          <Button size="md" variant="primary" type="submit" form="hold-form" isLoading={hold.isPending}>
            {t('pane.holdSave')}
          </Button>
        </DialogActions>
      }
    >
      <form id="hold-form" className="dialog-form" onSubmit={submit} noValidate>
        <Field
          label={t('pane.holdField')}
          error={
            !isTried || problem === undefined ? undefined : problem === 'past' ? t('pane.holdPast') : t('pane.holdFar')
          }
        >
          {(control) => (
            <Input
              {...control}
              type="datetime-local"
              value={text}
              min={fieldOfMoment(Date.now())}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        {hold.error !== null && <FormProblem error={hold.error} />}
      </form>
    </Dialog>
  )
}
