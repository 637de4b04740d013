import type { KeptRuns as Kept } from '@threadbox/sdk'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { ConfirmDialog } from '../../../page/parts/confirm-dialog.tsx'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { Select } from '../../../ui/select.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useAskKeptRuns, useKeptRuns, useSetKeptRuns } from '../api/runs.queries.ts'

/** The same limit as in the API. */
const maxKept = 1000

/** How many runs keep their threads, with a button to change it. */
export function KeptRuns(props: { agentId: string }) {
  const { t } = useTranslation('runs')
  const kept = useKeptRuns(props.agentId)
  const [isOpen, setIsOpen] = useState(false)
  const opener = useFocusAfter(isOpen)
  if (kept.isError && kept.data === undefined) return <FormProblem error={kept.error} />
  if (kept.data === undefined) return null
  const { keep } = kept.data
  return (
    <div className="kept-runs">
      <p className="facts">{keep === null ? t('keepsAll') : t('keeps', { count: keep })}</p>
      <Button ref={opener} aria-label={t('keepChangeLabel')} onClick={() => setIsOpen(true)}>
        {t('keepChange')}
      </Button>
      {isOpen && <KeepDialog agentId={props.agentId} keep={keep} onClose={() => setIsOpen(false)} />}
    </div>
  )
}

/** One dialog replaces another, so neither knows what had the focus before. */
function useFocusAfter(isOpen: boolean) {
  const opener = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(isOpen)
  useEffect(() => {
    if (wasOpen.current && !isOpen) opener.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  return opener
}

/** Asks the server what would be deleted before it saves. A dialog names it, and you confirm. */
function KeepDialog(props: { agentId: string; keep: number | null; onClose: () => void }) {
  const { t } = useTranslation('runs')
  const format = useFormat()
  const ask = useAskKeptRuns(props.agentId)
  const save = useSetKeptRuns(props.agentId)
  const [confirming, setConfirming] = useState<{ keep: number; removing: Kept['removing'] } | null>(null)
  const store = (keep: number | null) => {
    const done = () => {
      showToast(t('keepSaved'))
      props.onClose()
    }
    ask.reset()
    save.mutate({ keep }, { onSuccess: done })
  }
  const previewKeep = (keep: number | null) => {
    if (ask.isPending || save.isPending) return
    if (keep === null) return store(null)
    ask.mutate(keep, {
      onSuccess: ({ removing }) => (removing.count === 0 ? store(keep) : setConfirming({ keep, removing })),
    })
  }
  if (confirming === null) {
    return (
      <KeepForm
        keep={props.keep}
        onKeep={previewKeep}
        onClose={props.onClose}
        isPending={ask.isPending || save.isPending}
        error={ask.error ?? save.error}
      />
    )
  }
  const { count, first } = confirming.removing
  const names = first.map(({ title, createdAt }) =>
    t('keepAskRun', { name: title, when: format.deadline(createdAt, Date.now()) }),
  )
  const more = count - first.length
  const named = format.items(names)
  const listed = more > 0 ? t('keepAskMore', { first: named, count: more }) : named
  return (
    <ConfirmDialog
      title={t('keepAskTitle', { count })}
      text={t('keepAskText', { count, first: listed })}
      action={t('keepAsk', { count })}
      isPending={save.isPending}
      error={save.error}
      onConfirm={() => store(confirming.keep)}
      onClose={props.onClose}
    />
  )
}

function KeepForm(props: {
  keep: number | null
  isPending: boolean
  error: Error | null
  onKeep: (keep: number | null) => void
  onClose: () => void
}) {
  const { t } = useTranslation(['runs', 'common'])
  const max = useFormat().number(maxKept)
  const [which, setWhich] = useState<'all' | 'newest'>(props.keep === null ? 'all' : 'newest')
  const [text, setText] = useState(String(props.keep ?? 20))
  const formId = useId()
  const count = /^\d{1,4}$/.test(text.trim()) ? Number(text) : 0
  const isWrong = which === 'newest' && (count < 1 || count > maxKept)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isWrong) props.onKeep(which === 'all' ? null : count)
  }
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={t('keepTitle')}
      description={t('keepText')}
      closeLabel={t('common:close')}
      footer={
        <DialogActions cancelLabel={t('common:cancel')} onCancel={props.onClose}>
          <Button
            size="md"
            type="submit"
            form={formId}
            variant="primary"
            isDisabled={isWrong}
            isLoading={props.isPending}
          >
            {t('save')}
          </Button>
        </DialogActions>
      }
    >
      <form id={formId} className="model-form" onSubmit={submit} noValidate>
        <Field label={t('keepWhich')}>
          {(control) => (
            <Select
              id={control.id}
              value={which}
              options={[
                { value: 'all', label: t('keepAll') },
                { value: 'newest', label: t('keepNewest') },
              ]}
              onChange={setWhich}
            />
          )}
        </Field>
        {which === 'newest' && (
          <Field
            label={t('keepCount')}
            help={t('keepCountHelp', { max })}
            error={isWrong ? t('keepCountWrong', { max }) : undefined}
          >
            {(control) => (
              <Input {...control} inputMode="numeric" value={text} onChange={(event) => setText(event.target.value)} />
            )}
          </Field>
        )}
        {props.error !== null && <FormProblem error={props.error} />}
      </form>
    </Dialog>
  )
}
